/**
 * Turns as the protocol writes them: steps with commas between them. A step is a cell; in a game
 * whose players own several kinds of stones, it begins with the digit of the kind.
 */

/** @typedef {{cell: string, kind: number}} Placement */

export const PASS = "pass";

/**
 * @param {Placement} placement
 * @param {number} kinds how many kinds of stones a player owns
 */
export function stepOf({ cell, kind }, kinds) {
  return kinds > 1 ? `${kind}${cell}` : cell;
}

/**
 * @param {string} step
 * @param {number} kinds
 * @returns {Placement}
 */
export function placementOf(step, kinds) {
  return kinds > 1 ? { cell: step.slice(1), kind: Number(step[0]) } : { cell: step, kind: 1 };
}

/**
 * The stones that a turn places; none if it is a pass.
 * @param {string} turn
 * @param {number} kinds
 */
export function placementsOf(turn, kinds) {
  return turn === PASS ? [] : turn.split(",").map((step) => placementOf(step, kinds));
}
