/** The turns of an analysis as a tree: each node is a position, its first child the main line. */

import { PASS } from "../shared/steps.js";

/** The most nodes of a tree; a longer address would not be shared any more. */
export const MOST_NODES = 1000;
const MOST_TURN = 40;
/** A turn in an address, a bracket, or the mark after the shown position. */
const TOKEN = /[()*]|[^()*_]+/g;
const STEP = /^[A-Za-z0-9.:-]+$/;

/**
 * @typedef {object} Node
 * @property {string} turn that leads here; "" at the start
 * @property {Node | null} parent
 * @property {Node[]} children
 * @property {number} ply how many turns lead here
 * @property {number} id
 */

export class Tree {
  #ids = 0;
  #count = 0;

  constructor() {
    /** @type {Node} */
    this.root = { turn: "", parent: null, children: [], ply: 0, id: this.#ids++ };
    this.current = this.root;
  }

  /** @param {string[]} turns */
  static ofGame(turns) {
    const tree = new Tree();
    let node = tree.root;
    for (const turn of turns) {
      node = tree.add(node, turn) ?? node;
    }
    return tree;
  }

  /** A game with its end shown. @param {string[]} turns */
  static atEnd(turns) {
    const tree = Tree.ofGame(turns);
    tree.current = tree.end(tree.root);
    return tree;
  }

  /**
   * The node after a turn, which may be new; null if the tree is full.
   * @param {Node} parent
   * @param {string} turn
   */
  add(parent, turn) {
    const known = parent.children.find((child) => sameTurn(child.turn, turn));
    if (known) {
      return known;
    }
    if (this.#count >= MOST_NODES) {
      return null;
    }
    this.#count += 1;
    /** @type {Node} */
    const node = { turn, parent, children: [], ply: parent.ply + 1, id: this.#ids++ };
    parent.children.push(node);
    return node;
  }

  /**
   * Make the line of a node the main line.
   * @param {Node} node
   */
  promote(node) {
    for (let each = node; each.parent; each = each.parent) {
      const { children } = each.parent;
      each.parent.children = [each, ...children.filter((child) => child !== each)];
    }
  }

  /**
   * Remove a node with all that follows; the position before it is shown if it was.
   * @param {Node} node
   */
  remove(node) {
    if (!node.parent) {
      return;
    }
    if (pathTo(this.current).includes(node)) {
      this.current = node.parent;
    }
    node.parent.children = node.parent.children.filter((child) => child !== node);
    this.#count -= size(node);
  }

  /** @param {Node} node */
  isMain(node) {
    return pathTo(node).every((each) => each.parent === null || each.parent.children[0] === each);
  }

  /** The last node of the line on which a node is. @param {Node} [node] */
  end(node = this.current) {
    let last = node;
    for (let next = last.children[0]; next; next = last.children[0]) {
      last = next;
    }
    return last;
  }

  /** The position after so many turns on the line on which the shown one is. @param {number} ply */
  at(ply) {
    const path = pathTo(this.end());
    return path[Math.max(0, Math.min(ply, path.length - 1))];
  }

  /** @param {number} id */
  find(id) {
    /** @type {Node[]} */
    const open = [this.root];
    for (let node = open.pop(); node; node = open.pop()) {
      if (node.id === id) {
        return node;
      }
      open.push(...node.children);
    }
    return null;
  }

  /** The node before or after the shown one among its siblings. @param {number} step */
  sibling(step) {
    const all = this.current.parent?.children ?? [];
    return all[all.indexOf(this.current) + step] ?? null;
  }

  /** The tree as a text of an address: turns, variations in brackets, `*` after the shown one. */
  get text() {
    return `${this.current === this.root ? "*" : ""}${this.#line(this.root)}`;
  }

  /**
   * @param {Node} from
   * @returns {string}
   */
  #line(from) {
    let text = "";
    /** @type {Node | undefined} */
    let node = from;
    while (node) {
      /** @type {Node[]} */
      const [main, ...others] = node.children;
      if (main) {
        text += joined(text, this.#named(main));
        for (const each of others) {
          text += `(${this.#named(each)}${continued(this.#line(each))})`;
        }
      }
      node = main;
    }
    return text;
  }

  /** @param {Node} node */
  #named(node) {
    return `${node.turn}${node === this.current ? "*" : ""}`;
  }

  /**
   * The tree of such a text; as much of it as makes sense.
   * @param {string} text
   */
  static parse(text) {
    const tree = new Tree();
    /** @type {Node[]} */
    const stack = [];
    let node = tree.root;
    for (const [token] of text.matchAll(TOKEN)) {
      if (token === "(") {
        stack.push(node);
        node = node.parent ?? node;
      } else if (token === ")") {
        node = stack.pop() ?? node;
      } else if (token === "*") {
        tree.current = node;
      } else if (isTurn(token)) {
        node = tree.add(node, token) ?? node;
      }
    }
    return tree;
  }
}

/**
 * The turns that lead to a node.
 * @param {Node} node
 */
export function turnsTo(node) {
  return pathTo(node).slice(1).map(({ turn }) => turn);
}

/**
 * The nodes from the start to a node.
 * @param {Node} node
 */
export function pathTo(node) {
  const path = [node];
  for (let each = node.parent; each; each = each.parent) {
    path.push(each);
  }
  return path.reverse();
}

/**
 * Whether two turns place the same stones.
 * @param {string} one
 * @param {string} two
 */
export function sameTurn(one, two) {
  return one === two || sorted(one) === sorted(two);
}

/** @param {string} turn */
function sorted(turn) {
  return turn.split(",").sort().join(",");
}

/** @param {string} token */
function isTurn(token) {
  const steps = token.split(",");
  return token === PASS ||
    (token.length <= MOST_TURN && steps.length <= 2 && steps.every((step) => STEP.test(step)));
}

/** @param {Node} node */
function size(node) {
  /** @type {number} */
  let count = 1;
  for (const child of node.children) {
    count += size(child);
  }
  return count;
}

/**
 * A turn after a text of turns: a blank is needed unless a bracket or a mark is in between.
 * @param {string} before
 * @param {string} turn
 */
function joined(before, turn) {
  return before === "" || before.endsWith(")") || before.endsWith("*") ? turn : `_${turn}`;
}

/** @param {string} line */
function continued(line) {
  return line === "" ? "" : `_${line}`;
}
