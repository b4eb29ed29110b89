/** The board that an answer of the server describes. */

import { Geometry } from "./geometry.js";
import { Lattice } from "./lattice.js";
import { Rows } from "./rows.js";
import { Sight } from "./sight.js";
import { BoardWords } from "./words.js";

/** @import { RawBoard } from "../shared/api.js" */

/** @typedef {Geometry | Lattice} Board */

/**
 * @param {RawBoard} raw
 * @param {number} [reach] on a board without an end: how far from the stones cells may be played
 * @returns {Board}
 */
export function boardOf(raw, reach) {
  return raw.lattice ? new Lattice(raw.lattice, reach) : new Geometry(raw);
}

/**
 * The board in words.
 * @param {Board} board
 * @param {{group: string, rows: {goal: number} | null}} texts of its game
 */
export function wordsOf(board, { group, rows }) {
  if (board instanceof Geometry) {
    return new BoardWords(board, group, board.stars.length ? new Sight(board) : null);
  }
  return new BoardWords(board, group, null, rows && new Rows(board, rows.goal));
}
