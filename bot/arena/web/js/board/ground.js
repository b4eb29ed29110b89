/** What lies under the stones of a lattice: hexagons near the stones, and fainter ones within reach. */

import { svg } from "../shared/dom.js";
import { rounded } from "./parts.js";

/** @import { Stones } from "./geometry.js" */
/** @import { Lattice } from "./lattice.js" */

export class Ground {
  /** The cells that are drawn. @type {Iterable<string>} */
  #near = [];
  /** @type {Iterable<string>} */
  #within = [];

  /** @param {Lattice} lattice */
  constructor(lattice) {
    this.lattice = lattice;
    this.within = svg("path", { class: "tiles far" });
    this.near = svg("path", { class: "tiles" });
    this.element = svg("g", {}, this.within, this.near);
  }

  /**
   * @param {Stones} stones
   * @param {string[]} [more] stones that are not sent yet
   */
  show(stones, more) {
    const [near, within] = [this.lattice.near(stones, more), this.lattice.within(stones, more)];
    if (near !== this.#near) {
      this.#near = near;
      this.near.setAttribute("d", tiles(this.lattice, near));
    }
    if (within !== this.#within) {
      this.#within = within;
      this.within.setAttribute("d", tiles(this.lattice, within));
    }
  }
}

/**
 * The outlines of hexagonal cells, each from its first corner clockwise.
 * @param {Lattice} lattice
 * @param {Iterable<string>} names
 */
export function tiles(lattice, names) {
  const corners = cornersOf(lattice);
  const [first, ...others] = corners;
  const round = others.map(({ x, y }, index) => {
    const before = corners[index] ?? { x: 0, y: 0 };
    return `l${rounded(x - before.x)} ${rounded(y - before.y)}`;
  });
  const outline = `${round.join("")}z`;
  return [...names].map((name) => {
    const cell = lattice.cells.get(name);
    return cell && first
      ? `M${rounded(cell.x + first.x)} ${rounded(cell.y + first.y)}${outline}`
      : "";
  }).join("");
}

/**
 * The corners of the cell in the middle: each lies between two neighbours.
 * @param {Lattice} lattice
 */
function cornersOf(lattice) {
  const around = (lattice.cells.get(lattice.middle())?.neighbours ?? [])
    .flatMap((name) => lattice.cells.get(name) ?? [])
    .sort((a, b) => Math.atan2(a.y, a.x) - Math.atan2(b.y, b.x));
  return around.map((one, index) => {
    const two = around[(index + 1) % around.length] ?? one;
    return { x: (one.x + two.x) / 3, y: (one.y + two.y) / 3 };
  });
}
