/** The board that an answer of the server describes. */

import { Geometry } from "./geometry.js";
import { Lattice } from "./lattice.js";

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
