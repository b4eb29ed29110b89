/**
 * What is decided on a board with stars: dead and secured stones, cells that are closed for good, and
 * what the final scores lie between. All of it holds whatever the players do (shared/star_bounds.js).
 */

import { foresee } from "../shared/star_bounds.js";
import { replace, svg } from "../shared/dom.js";
import { centre } from "./marks.js";
import { STONE_RADIUS } from "./parts.js";

/** @import { Geometry, Stones } from "./geometry.js" */
/** @import { Sight } from "./sight.js" */

/**
 * @typedef {object} Prospects
 * @property {Map<string, Set<number>>} closed empty cells, with the seats to whom they are closed
 * @property {Set<string>} secured the cells of stones that stay inspired
 * @property {Set<string>} dead the cells of stones that can never be inspired again
 * @property {[[number, number], [number, number]]} scores the least and the most of each player
 */

/** The mark of a dead stone: it takes the place of `uninspired`. */
const DEAD = "dead";

/**
 * @param {Geometry} geometry
 * @param {Sight} sight
 * @param {Stones} stones
 * @param {number} stonesATurn
 * @returns {Prospects}
 */
export function prospectsOf(geometry, sight, stones, stonesATurn) {
  const names = geometry.list.map(({ name }) => name);
  const cells = names.map((name) => stones[name]?.[0] ?? 0);
  const { least, most, open, dead, kept } = foresee(sight.rays, cells, stonesATurn);
  /** @type {Map<string, Set<number>>} */
  const closed = new Map();
  for (const [cell, name] of names.entries()) {
    const seats = [1, 2].filter((_, index) => !open[index]?.has(cell));
    if (cells[cell] === 0 && seats.length > 0) {
      closed.set(name, new Set(seats));
    }
  }
  const named = (/** @type {Set<number>} */ places) =>
    new Set([...places].flatMap((place) => names[place] ?? []));
  return {
    closed,
    secured: named(kept),
    dead: named(dead),
    scores: [[least[0], most[0]], [least[1], most[1]]],
  };
}

/** Draws the prospects below and around the stones. */
export class ProspectLayer {
  /** What is drawn: nothing, what can no longer change (at the end of a game), or secured stones too. */
  shown = /** @type {"nothing" | "lost" | "all"} */ ("nothing");
  stonesATurn = 2;
  /** The last prospects, and of which stones. @type {{of: string, prospects: Prospects} | null} */
  #last = null;

  /**
   * @param {Geometry} geometry
   * @param {Sight} sight
   */
  constructor(geometry, sight) {
    this.geometry = geometry;
    this.sight = sight;
    this.element = svg("g", { class: "prospects", "aria-hidden": "true" });
  }

  /** @param {Stones} stones */
  of(stones) {
    const of = JSON.stringify([this.stonesATurn, stones]);
    if (this.#last?.of !== of) {
      const prospects = prospectsOf(this.geometry, this.sight, stones, this.stonesATurn);
      this.#last = { of, prospects };
    }
    return this.#last.prospects;
  }

  /**
   * The marks of a picture, in which dead stones differ from those that can be inspired again.
   * @param {Record<string, string>} marks
   * @param {Stones} stones
   */
  marked(marks, stones) {
    if (this.shown === "nothing") {
      return marks;
    }
    const { dead } = this.of(stones);
    const words = Object.entries(marks).map(([name, word]) => [name, dead.has(name) ? DEAD : word]);
    return Object.fromEntries(words);
  }

  /** @param {Stones} stones */
  show(stones) {
    if (this.shown === "nothing") {
      replace(this.element);
      return;
    }
    const { closed, secured } = this.of(stones);
    const cells = [...closed].map(([name, seats]) => {
      const whose = seats.size > 1 ? "both" : `seat-${[...seats][0]}`;
      return svg("circle", {
        class: `closed ${whose}`,
        "data-closed": name,
        ...centre(this.geometry.cells.get(name)),
        r: STONE_RADIUS - 0.08,
      });
    });
    const rings = this.shown === "lost" ? [] : [...secured].map((name) =>
      svg("circle", {
        class: `secured seat-${stones[name]?.[0]}`,
        "data-secured": name,
        ...centre(this.geometry.cells.get(name)),
        r: STONE_RADIUS + 0.07,
      })
    );
    replace(this.element, cells, rings);
  }
}
