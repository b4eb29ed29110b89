/** Bluestone's refusals, captures and scores (engine/games/bluestone/rules.py). */

/** @import { Seat } from "../shared/wire.d.ts" */
/** @import { SavedRecord } from "./kernels.js" */
/** @import { BoardGame } from "./mechanics.d.ts" */

/** In `open_at`: the cell is not in the list of a player's open cells. */
const ABSENT = 0xffff;

/** @type {BoardGame} */
export const BLUESTONE = {
  kinds: 1,
  hasPass: true,
  canonical: (turn) => turn,

  why(board, before, now, steps) {
    const isAbstractPlay = board.get("abstractplay") !== 0;
    if (before.get("over")) {
      return "game-over";
    }
    if (steps.length === 1 && now.get("step") === 1) {
      return "two-stones";
    }
    if (steps.length === 2 && before.get("turn") === 1) {
      return "one-stone";
    }
    if (steps[0] === steps[1]) {
      return "same-cell";
    }
    const judged = isAbstractPlay ? before : now;
    const [step = 0] = steps.slice(-1);
    if (judged.field("cells")[step]) {
      return "occupied";
    }
    const openAt = judged.field("open_at"); // a row for each player
    const row = (before.get("player") - 1) * (openAt.length / 2);
    if (openAt[row + step] !== ABSENT) {
      return "same-group";
    }
    return isAbstractPlay ? "closed-region" : "dead-cell";
  },

  stone: (content) => [/** @type {Seat} */ (content), 1],

  captured(before, after) {
    const enemy = 3 - before.get("player");
    const [old, now] = [before.field("cells"), after.field("cells")];
    return [...old.keys()].filter((cell) => old[cell] === enemy && now[cell] !== enemy);
  },

  marks: () => new Map(),

  scores: (state) => [scoresOf(state, 1), scoresOf(state, 2)],
};

/**
 * The scores of a player's groups, highest first.
 * @param {SavedRecord} state
 * @param {number} player
 */
function scoresOf(state, player) {
  const [parents, blue] = [state.field("parent"), state.field("chain_blue")];
  const scores = [...state.field("cells").entries()]
    .filter(([cell, owner]) => Number(owner) === player && parents[cell] === cell)
    .map(([cell]) => countOnes(BigInt(blue[cell] ?? 0)))
    .filter((score) => score > 0)
    .toSorted((one, other) => other - one);
  return scores.length > 0 ? scores : [0];
}

/** @param {bigint} bits */
function countOnes(bits) {
  return bits.toString(2).replaceAll("0", "").length;
}
