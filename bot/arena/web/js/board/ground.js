/** What lies under the stones of a lattice: hexagons near the stones, and fainter ones within reach. */

import { svg } from "../shared/dom.js";
import { rounded } from "./parts.js";

/** @import { Stones } from "./geometry.js" */
/** @import { Lattice, Surroundings } from "./lattice.js" */

export class Ground {
  /** What is drawn. @type {Surroundings | null} */
  #shown = null;

  /** @param {Lattice} lattice */
  constructor(lattice) {
    this.lattice = lattice;
    this.within = svg("path", { class: "tiles far" });
    this.near = svg("path", { class: "tiles" });
    /** Instead of cells that are too small to be told apart. */
    this.discs = svg("path", { class: "discs", "stroke-width": 2 * lattice.reach + 1 });
    this.element = svg("g", {}, this.discs, this.within, this.near);
  }

  /**
   * @param {Stones} stones
   * @param {string[]} [more] stones that are not sent yet
   */
  show(stones, more) {
    const shown = this.lattice.around(stones, more);
    if (shown === this.#shown) {
      return;
    }
    this.#shown = shown;
    const { near, within, isLarge } = shown;
    this.near.setAttribute("d", tiles(this.lattice, near));
    this.within.setAttribute("d", tiles(this.lattice, within));
    const centres = isLarge && near.size === 0
      ? Object.keys(stones).flatMap((name) => this.lattice.cells.get(name) ?? [])
      : [];
    this.discs.setAttribute(
      "d",
      centres.map(({ x, y }) => `M${rounded(x)} ${rounded(y)}h0`).join(""),
    );
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
