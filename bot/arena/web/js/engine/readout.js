/** The best turns of a tree, each with the line that the search expects (engine/search/readout.py). */

import { PASS as PASS_TEXT } from "../shared/steps.js";

/** @import { Kernels, MemoryArray } from "./kernels.js" */
/** @import { Position } from "./rules.js" */

/** @typedef {Record<string, MemoryArray>} Tree its arrays by their names */

/**
 * A turn that the search has considered. Its value is the expected result for the player to move,
 * 0 to 1. The line begins with the turn; the result is null unless it is proved.
 * @typedef {object} Candidate
 * @property {string} turn
 * @property {number} value
 * @property {number} visits
 * @property {string[]} line
 * @property {number | null} result
 */

/**
 * Both orders of a turn's stones together, and the more visited of the two.
 * @typedef {object} Turn
 * @property {number} key the same for both orders
 * @property {number} visits
 * @property {number} points
 * @property {number} result 0 if unknown, 1 or 2 for the winner, 3 for a draw
 * @property {[number, number]} steps as in `Turns` of the engine
 * @property {number} node after the turn
 * @property {number} most visits of this order
 */

export class Readout {
  #kernels;
  #steps;
  /** The rows that the kernel writes. @type {MemoryArray} */
  #rows;

  /**
   * @param {Kernels} kernels
   * @param {number} steps placement codes of the board
   */
  constructor(kernels, steps) {
    this.#kernels = kernels;
    this.#steps = steps;
    this.#rows = kernels.array("int32", 64, 3);
  }

  get #constants() {
    return this.#kernels.layout.constants;
  }

  /**
   * The best turns at the root, best first.
   * @param {Position} position of the root
   * @param {Tree} tree
   * @param {number} count
   * @returns {Candidate[]}
   */
  candidates(position, tree, count) {
    const { ROOT, UNSOLVED } = this.#constants;
    return this.#best(tree, ROOT, count).map(({ turn, value }) => {
      const text = this.#text(position, turn.steps);
      const line = [text, ...this.#continuation(position, tree, turn.node)];
      const result = turn.result === UNSOLVED ? null : value;
      return { turn: text, value, visits: turn.visits, line, result };
    });
  }

  /**
   * Whether the tree has the turn to play at a node whose result is proved; true if none is.
   * @param {Tree} tree
   * @param {number} node
   */
  isPlayable(tree, node) {
    const { UNSOLVED } = this.#constants;
    const [solved, mover] = ["solved", "mover"].map((name) => tree[name]?.numbers[node]);
    const turns = solved === UNSOLVED ? [] : this.#turns(tree, node);
    const isWon = solved === mover;
    return solved === UNSOLVED ||
      (isWon ? turns.some(({ result }) => result === mover) : turns.length > 0);
  }

  /**
   * @param {Position} position
   * @param {Tree} tree
   * @param {number} node
   */
  #continuation(position, tree, node) {
    const { LONGEST_LINE, WORTH_A_LINE } = this.#constants;
    const line = [];
    while (line.length < LONGEST_LINE && numberAt(tree, "visits", node) >= WORTH_A_LINE) {
      const [best] = numberAt(tree, "mover", node) ? this.#best(tree, node, 1) : [];
      if (!best) {
        break;
      }
      node = best.turn.node;
      line.push(this.#text(position, best.turn.steps));
    }
    return line;
  }

  /**
   * @param {Position} position
   * @param {[number, number]} steps
   */
  #text(position, steps) {
    const placed = steps.filter((step) => step !== this.#steps);
    return placed.map((step) => position.stepName(step)).join(",") || PASS_TEXT;
  }

  /**
   * Proved wins first, then by visits, proved losses last. Proved draws come first if the value of
   * the best turn is below a half.
   * @param {Tree} tree
   * @param {number} node
   * @param {number} count
   */
  #best(tree, node, count) {
    const { DRAWN, WIN } = this.#constants;
    const player = numberAt(tree, "mover", node);
    const rank = (/** @type {Turn} */ { result }) =>
      result === player ? 0 : result === 3 - player ? 2 : 1;
    /** @param {Turn} turn */
    const valueOf = (turn) => {
      const proved = { [player]: 1, [3 - player]: 0, [DRAWN]: 0.5 }[turn.result];
      return proved ?? turn.points / (WIN * Math.max(turn.visits, 1));
    };
    const turns = this.#turns(tree, node)
      .sort((one, two) => rank(one) - rank(two) || two.visits - one.visits || one.key - two.key)
      .slice(0, count)
      .map((turn) => ({ turn, value: valueOf(turn) }));
    if ((turns[0]?.value ?? 1) < 0.5) {
      turns.sort((one, two) =>
        Number(two.turn.result === DRAWN) - Number(one.turn.result === DRAWN)
      );
    }
    return turns;
  }

  /**
   * The turns from a node that the tree has visited to their end.
   * @param {Tree} tree
   * @param {number} node
   */
  #turns(tree, node) {
    const { UNSOLVED } = this.#constants;
    const rows = this.#write(tree, node);
    const [visits, points, solved] = ["visits", "points", "solved"].map((name) =>
      tree[name]?.numbers ?? []
    );
    /** @type {Map<number, Turn>} */
    const found = new Map();
    for (let row = 0; row < rows.length; row += 3) {
      const [first = 0, second = 0, after = 0] = rows.subarray(row, row + 3);
      const seen = Number(visits?.[after]);
      const result = Number(solved?.[after]);
      if (seen === 0 && result === UNSOLVED) {
        continue;
      }
      const isSwapped = first > second && first !== this.#steps;
      const [low, high] = isSwapped ? [second, first] : [first, second];
      const key = low * (this.#steps + 1) + high;
      const known = found.get(key);
      const steps = /** @type {[number, number]} */ ([first, second]);
      const own = { steps, node: after, most: seen };
      const isMore = !known || seen > known.most ||
        (seen === known.most && first < known.steps[0]);
      found.set(key, {
        ...(isMore ? own : known),
        key,
        visits: (known?.visits ?? 0) + seen,
        points: (known?.points ?? 0) + Number(points?.[after]),
        result: Math.max(known?.result ?? 0, result),
      });
    }
    return [...found.values()];
  }

  /**
   * @param {Tree} tree
   * @param {number} node
   */
  #write(tree, node) {
    const count = this.#kernels.call("write_turns", tree, node, this.#rows);
    if (count > (this.#rows.shape[0] ?? 0)) {
      this.#rows = this.#kernels.array("int32", 2 * count, 3);
      this.#kernels.call("write_turns", tree, node, this.#rows);
    }
    return /** @type {Int32Array} */ (this.#rows.numbers).subarray(0, 3 * count);
  }
}

/**
 * @param {Tree} tree
 * @param {string} name of an array
 * @param {number} place
 */
export function numberAt(tree, name, place) {
  return Number(tree[name]?.numbers[place]);
}
