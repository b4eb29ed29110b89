/**
 * Which part of HeXO's board the kernels see, and how their codes are named
 * (engine/games/hexo/frame.py, which explains where the window goes, and why).
 */

import { AXES, cellAt, cellName, coordinatesOf, distance, ORIGIN } from "./plane.js";

/** @import { Seat } from "../shared/wire.d.ts" */

/** The greatest distance of a cell of the window from its centre, on each axis. */
const RADIUS = 29;
/** Rows of rim before the window, and codes of rim after each row. */
const RIM = 5;
const WIDTH = 2 * RADIUS + 1 + RIM;
/** The distance from the centre, on each axis, at which a stone moves the window. */
const INNER = 18;
/** The last stones, which decide about the centre. */
const RECENT = 40;
/** Stones on six cells in a row that a player can complete in one turn. */
const THREAT = 4;
const LINE = 6;

/**
 * The code of a cell; null if it is outside of the window.
 * @param {number} cell
 * @param {number} centre
 */
export function codeOf(cell, centre) {
  const [q, r] = offset(cell, centre);
  const isSeen = Math.max(Math.abs(q), Math.abs(r)) <= RADIUS;
  return isSeen ? (r + RADIUS + RIM) * WIDTH + q + RADIUS : null;
}

/**
 * The name of the cell of a code.
 * @param {number} code
 * @param {number} centre
 */
export function stepName(code, centre) {
  const [q, r] = coordinatesOf(centre);
  const row = Math.floor(code / WIDTH);
  return cellName(cellAt(q + (code % WIDTH) - RADIUS, r + row - RADIUS - RIM));
}

/**
 * The cell in the middle of the window.
 * @param {ReadonlyMap<number, Seat>} stones the player of each, oldest first
 * @param {Seat} player to move
 */
export function frameOf(stones, player) {
  const placed = [...stones.keys()];
  let centre = ORIGIN;
  for (const [place, stone] of placed.entries()) {
    if (!isInner(stone, centre)) {
      centre = middle(placed.slice(Math.max(0, place + 1 - RECENT), place + 1));
    }
  }
  const isSeen = (/** @type {number} */ cell) => isInner(cell, centre);
  const beyond = placed.filter((cell) => !isSeen(cell)).length;
  for (const owner of beyond >= THREAT ? [player, 3 - player] : []) {
    const lines = threats(stones, owner);
    const unseen = lines.filter((line) => !line.every(isSeen));
    const [last] = unseen.slice(-1);
    if (last && (owner !== player || unseen.length === lines.length)) {
      return last[0] ?? ORIGIN;
    }
    if (lines.length > 0) {
      break;
    }
  }
  return centre;
}

/**
 * The stones of each line of six cells that a player can complete in one turn.
 * @param {ReadonlyMap<number, Seat>} stones
 * @param {number} player
 */
function threats(stones, player) {
  const starts = [...stones].filter(([, owner]) => owner === player).flatMap(([cell]) => {
    const [q, r] = coordinatesOf(cell);
    return AXES.flatMap(([dq, dr]) =>
      Array.from(
        { length: LINE },
        (_, back) =>
          Array.from({ length: LINE }, (_, n) => cellAt(q + (n - back) * dq, r + (n - back) * dr)),
      )
    );
  });
  return starts.map((line) => line.filter((cell) => stones.has(cell))).filter((line) =>
    line.length >= THREAT && line.every((cell) => stones.get(cell) === player)
  );
}

/**
 * @param {number} cell
 * @param {number} centre
 * @returns {[number, number]}
 */
function offset(cell, centre) {
  const [q, r] = coordinatesOf(cell);
  const [q0, r0] = coordinatesOf(centre);
  return [q - q0, r - r0];
}

/**
 * @param {number} cell
 * @param {number} centre
 */
function isInner(cell, centre) {
  return offset(cell, centre).every((each) => Math.abs(each) <= INNER);
}

/**
 * The middle of the stones, or a stone among most of them if they lie too far apart.
 * @param {number[]} stones oldest first
 */
function middle(stones) {
  const qs = stones.map((stone) => coordinatesOf(stone)[0]).sort((a, b) => a - b);
  const rs = stones.map((stone) => coordinatesOf(stone)[1]).sort((a, b) => a - b);
  const [q, r] = [halfway(qs), halfway(rs)];
  if (q.span <= 2 * INNER && r.span <= 2 * INNER) {
    return cellAt(q.centre, r.centre);
  }
  const median = cellAt(q.median, r.median);
  const among = best(stones, (stone) => -distance(stone, median));
  const [before = among, last = among] = stones.slice(-2);
  return best([last, before, among], (stone) => weightAround(stone, stones));
}

/** @param {number[]} sorted */
function halfway(sorted) {
  const [low = 0, high = 0] = [sorted[0], sorted.at(-1)];
  const median = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
  return { span: high - low, centre: Math.floor((high + low) / 2), median };
}

/**
 * The first of the cells with the greatest value.
 * @param {number[]} cells
 * @param {(cell: number) => number} value
 */
function best(cells, value) {
  const [first = ORIGIN] = cells;
  return cells.reduce((found, cell) => value(cell) > value(found) ? cell : found, first);
}

/**
 * The weight of the stones around a cell; later stones weigh more.
 * @param {number} centre
 * @param {number[]} stones
 */
function weightAround(centre, stones) {
  return stones.reduce((sum, cell, age) => sum + (isInner(cell, centre) ? (age + 1) ** 2 : 0), 0);
}
