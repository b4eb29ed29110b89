/** What lies under the stones of a lattice: hexagons near the stones, and fainter ones within reach. */

import { setAttributes, svg } from "../shared/dom.js";
import { rounded } from "./parts.js";

/** @import { Stones } from "./geometry.js" */
/** @import { Lattice, Surroundings } from "./lattice.js" */

/** With more paths, they are made one again. */
const MOST_PATHS = 100;

export class Ground {
  /** What is drawn. @type {Surroundings | null} */
  #shown = null;

  /** @param {Lattice} lattice */
  constructor(lattice) {
    this.lattice = lattice;
    this.within = new Tiles(lattice, "tiles far");
    this.near = new Tiles(lattice, "tiles");
    /** Instead of cells that are too small to be told apart. */
    this.discs = svg("path", { class: "discs", "stroke-width": 2 * lattice.reach + 1 });
    this.element = svg("g", {}, this.discs, this.within.element, this.near.element);
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
    this.near.show(near);
    this.within.show(within);
    const centres = isLarge && near.size === 0
      ? Object.keys(stones).flatMap((name) => this.lattice.cells.get(name) ?? [])
      : [];
    const d = centres.map(({ x, y }) => `M${rounded(x)} ${rounded(y)}h0`).join("");
    setAttributes(this.discs, { d });
  }
}

/**
 * Hexagons, in few elements. A stone adds some to thousands: they become one more path, because a
 * path that changes is parsed, laid out and painted as a whole.
 */
class Tiles {
  element = svg("g");
  /** @type {Set<string>} */
  #drawn = new Set();

  /**
   * @param {Lattice} lattice
   * @param {string} style
   */
  constructor(lattice, style) {
    this.lattice = lattice;
    this.style = style;
  }

  /** @param {Set<string>} names */
  show(names) {
    const added = [...names].filter((name) => !this.#drawn.has(name));
    const hasAll = names.size === this.#drawn.size + added.length;
    const isFew = hasAll && this.element.childElementCount < MOST_PATHS;
    if (isFew && added.length === 0) {
      return;
    }
    const d = tiles(this.lattice, isFew ? added : names);
    const path = svg("path", { class: this.style, d });
    isFew ? this.element.append(path) : this.element.replaceChildren(path);
    this.#drawn = names;
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
