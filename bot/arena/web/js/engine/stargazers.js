/** Stargazers' refusals, marks, scores and early ends (engine/games/stargazers/rules.py). */

import { earlyEndOf, foresee, STAR } from "../shared/star_bounds.js";

/** @import { Rays } from "../shared/star_bounds.js" */
/** @import { Seat } from "../shared/wire.d.ts" */
/** @import { MemoryRecord } from "./kernels.js" */
/** @import { BoardGame } from "./mechanics.d.ts" */

/** What the field `lines` of the board has for a star, instead of the next cell. */
const STAR_NEXT = -2;
const DIRECTIONS = 6;

/** @type {BoardGame} */
export const STARGAZERS = {
  kinds: 1,
  hasPass: false,
  canonical: (turn) => turn,

  why(board, before, now, steps) {
    if (before.get("over")) {
      return "game-over";
    }
    if (steps.length === 1 && now.get("step") === 1) {
      return "two-stones";
    }
    const [step = 0] = steps.slice(-1);
    if (before.field("cells")[step]) {
      return "occupied";
    }
    const isSingle = before.get("turn") === 1 || board.get("stones_a_turn") === 1;
    if (steps.length === 2 && isSingle) {
      return "one-stone";
    }
    if (steps[0] === steps[1]) {
      return "same-cell";
    }
    return now.get("over") ? "one-stone" : "uninspired-cell";
  },

  stone: (content) => [/** @type {Seat} */ (content), 1],

  captured: () => [],

  marks(state) {
    const [cells, labels, views] = ["cells", "label", "views"].map((name) => state.field(name));
    const marked = [...cells?.keys() ?? []].filter((cell) => {
      return cells?.[cell] !== 0 && views?.[Number(labels?.[cell])] === 0;
    });
    return new Map(marked.map((cell) => [cell, "uninspired"]));
  },

  scores(state) {
    const [one, two] = state.field("uninspired");
    return [[Number(one)], [Number(two)]];
  },

  earlyEnd(board, state) {
    const winner = /** @type {Seat} */ (state.get("winner"));
    if (board.get("ludii") !== 0) {
      const [assured = 0, potential = 0] = Array.from(state.field("early"), Number);
      return assured > potential ? { winner, assured, potential } : null;
    }
    const cells = Array.from(state.field("cells"), Number).slice(0, board.get("n_cells"));
    const [one, two] = this.scores(state);
    return state.get("over") !== 0 || one[0] === two[0]
      ? null
      : earlyEndOf(foresee(raysOf(board), cells, board.get("stones_a_turn")));
  },
};

/**
 * @param {MemoryRecord} board
 * @returns {Rays}
 */
function raysOf(board) {
  const lines = Array.from(board.field("lines"), Number);
  const cells = Array.from({ length: board.get("n_cells") }, (_, cell) => cell);
  const directions = Array.from({ length: DIRECTIONS }, (_, direction) => direction);
  return cells.map((cell) => directions.map((direction) => rayFrom(lines, cell, direction)));
}

/**
 * @param {number[]} lines
 * @param {number} cell
 * @param {number} direction
 */
function rayFrom(lines, cell, direction) {
  const ray = [];
  const next = (/** @type {number} */ place) => lines[place * DIRECTIONS + direction] ?? -1;
  let place = next(cell);
  for (; place >= 0; place = next(place)) {
    ray.push(place);
  }
  return place === STAR_NEXT ? [...ray, STAR] : ray;
}
