/**
 * The unbounded board: the hexagonal grid, with axial coordinates as the names of cells.
 *
 * A cell is a number, so that sets of thousands are cheap. Sorted numbers are in reading order: row
 * by row as drawn, the top row first, each from left to right. The difference of two cells does not
 * depend on where they are.
 */

/** Coordinates have at most six digits. */
const HALF = 2 ** 20;
const ROW = 2 * HALF;
const NAME = /^(0|-?[1-9][0-9]{0,5}):(0|-?[1-9][0-9]{0,5})$/;

/** One direction of each of the three lines through a cell. */
export const AXES = /** @type {const} */ ([[1, 0], [0, 1], [1, -1]]);

/**
 * @param {number} q
 * @param {number} r
 */
export function cellAt(q, r) {
  return (HALF - r) * ROW + q + HALF;
}

/**
 * The axial coordinates q and r of a cell.
 * @param {number} cell
 * @returns {[number, number]}
 */
export function coordinatesOf(cell) {
  return [(cell % ROW) - HALF, HALF - Math.floor(cell / ROW)];
}

export const ORIGIN = cellAt(0, 0);

/** What leads along each axis to the next cell. */
export const STRIDES = AXES.map(([q, r]) => cellAt(q, r) - ORIGIN);

/** @param {number} cell */
export function cellName(cell) {
  return coordinatesOf(cell).join(":");
}

/**
 * The cell of a name; null if it is not the name of a cell.
 * @param {string} name
 */
export function cellOf(name) {
  const [, q, r] = NAME.exec(name) ?? [];
  return q === undefined ? null : cellAt(Number(q), Number(r));
}

/**
 * How many steps from neighbour to neighbour lie between two cells.
 * @param {number} one
 * @param {number} other
 */
export function distance(one, other) {
  const [q1, r1] = coordinatesOf(one);
  const [q2, r2] = coordinatesOf(other);
  const [q, r] = [q1 - q2, r1 - r2];
  return (Math.abs(q) + Math.abs(r) + Math.abs(q + r)) / 2;
}

/**
 * What leads to all cells within a distance of a cell, itself included.
 * @param {number} radius
 */
export function disk(radius) {
  const span = Array.from({ length: 2 * radius + 1 }, (_, index) => index - radius);
  return span.flatMap((r) =>
    span.filter((q) => Math.abs(q + r) <= radius).map((q) => cellAt(q, r) - ORIGIN)
  );
}

/**
 * Cells in reading order.
 * @param {Iterable<number>} cells
 */
export function inReadingOrder(cells) {
  return Float64Array.from(cells).sort();
}
