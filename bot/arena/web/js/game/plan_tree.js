/** Conditional turns as a tree: the opponent may play several turns, and each has one answer. */

import { pathTo, sameTurn, Tree, turnsTo } from "./turn_tree.js";

/** @import { Node } from "./turn_tree.js" */

/** What the server accepts. */
export const MOST_LINES = 10;
export const MOST_TURNS = 6;

/** The first turn is the opponent's, and so is every second one after it. */
export class PlanTree {
  tree = new Tree();

  /** @param {string[][]} lines as the server keeps them */
  constructor(lines = []) {
    for (const line of lines) {
      let node = this.tree.root;
      for (const turn of line) {
        node = this.tree.add(node, turn) ?? node;
      }
    }
  }

  /** The ends of all lines, also of those that lack the person's answer. */
  get ends() {
    return endsAfter(this.tree.root).filter((node) => node.parent !== null);
  }

  /** The lines for the server: each ends with an answer, and none is the beginning of another. */
  get lines() {
    const answers = this.ends.flatMap((end) => isAnswer(end) ? end : end.parent ?? []);
    const ends = new Set(answers.filter((end) => end.ply > 0));
    const passed = new Set([...ends].flatMap((end) => pathTo(end).slice(0, -1)));
    return [...ends].filter((end) => !passed.has(end)).map(turnsTo);
  }

  /** Whether a line may go on after the shown position. */
  get isLongest() {
    return this.tree.current.ply >= MOST_TURNS;
  }

  /**
   * Play a turn in the shown position, and show the one after it. Another answer of the person replaces the
   * former one. Returns whether there is room for it.
   * @param {string} turn
   */
  play(turn) {
    const { tree } = this;
    const { current } = tree;
    const isKnown = current.children.some((child) => sameTurn(child.turn, turn));
    if (!isKnown && isTheirs(current)) {
      // The turn after the end of a line continues it; elsewhere it begins another one.
      const isNewLine = current.children.length > 0 || current.parent === null;
      if (isNewLine && this.ends.length >= MOST_LINES) {
        return false;
      }
    } else if (!isKnown) {
      [...current.children].forEach((child) => tree.remove(child));
    }
    tree.current = tree.add(current, turn) ?? current;
    return true;
  }

  /**
   * Remove a line: all of its turns that no other line has.
   * @param {Node} end
   */
  remove(end) {
    let first = end;
    while (first.parent?.parent && first.parent.children.length === 1) {
      first = first.parent;
    }
    this.tree.remove(first);
  }
}

/**
 * Whether the opponent plays in a position.
 * @param {Node} node
 */
export function isTheirs(node) {
  return node.ply % 2 === 0;
}

/**
 * Whether a turn of the person leads to a position.
 * @param {Node} node
 */
export function isAnswer(node) {
  return node.ply > 0 && isTheirs(node);
}

/**
 * @param {Node} node
 * @returns {Node[]}
 */
function endsAfter(node) {
  return node.children.length === 0 ? [node] : node.children.flatMap(endsAfter);
}
