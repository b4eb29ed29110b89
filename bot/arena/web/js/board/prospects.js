/**
 * What is decided on a board with stars: stones that are secured, and cells that are closed for good.
 *
 * Stones never leave the board, so views only get blocked. A cell is closed for good to a player if
 * no stone of theirs could ever be inspired there: it has no view of a star any more, and no open
 * line to a cell or stone of theirs that has one or can get one. A stone is secured if its opponent
 * can never take its inspiration: one of its views of a star, or of a secured stone, runs only
 * through cells that are closed for good to the opponent.
 */

import { replace, svg } from "../shared/dom.js";
import { centre } from "./marks.js";
import { STONE_RADIUS } from "./parts.js";

/** @import { Geometry, Stones } from "./geometry.js" */
/** @import { Sight } from "./sight.js" */

/**
 * @typedef {object} Prospects
 * @property {Map<string, Set<number>>} closed empty cells, with the seats to whom they are closed
 * @property {Set<string>} secured the cells of secured stones
 */

const SEATS = [1, 2];

/**
 * @param {Geometry} geometry
 * @param {Sight} sight
 * @param {Stones} stones
 * @returns {Prospects}
 */
export function prospectsOf(geometry, sight, stones) {
  const views = new Map(
    geometry.list.map(({ name }) => [name, sight.openViews(name, stones)]),
  );
  /** @type {Map<string, Set<number>>} */
  const closed = new Map();
  for (const seat of SEATS) {
    const alive = aliveFor(seat, views, stones);
    for (const { name } of geometry.list) {
      if (!(name in stones) && !alive.has(name)) {
        closed.set(name, (closed.get(name) ?? new Set()).add(seat));
      }
    }
  }
  return { closed, secured: securedBy(views, stones, closed) };
}

/** @typedef {import("./sight.js").View} View */

/**
 * The cells and stones of a player that are or can become inspired.
 * @param {number} seat
 * @param {Map<string, View[]>} views
 * @param {Stones} stones
 */
function aliveFor(seat, views, stones) {
  const mine = (/** @type {string} */ name) => !(name in stones) || stones[name]?.[0] === seat;
  /** @type {Set<string>} */
  const alive = new Set();
  for (const [name, seen] of views) {
    if (mine(name) && seen.some(({ isStar, between }) => isStar && between.length > 0)) {
      alive.add(name);
    }
  }
  for (const name of alive) {
    for (const { cell, between } of views.get(name) ?? []) {
      for (const reached of [...between, ...(cell === null ? [] : [cell])]) {
        mine(reached) && alive.add(reached);
      }
    }
  }
  return alive;
}

/**
 * @param {Map<string, View[]>} views
 * @param {Stones} stones
 * @param {Map<string, Set<number>>} closed
 */
function securedBy(views, stones, closed) {
  /** @type {Set<string>} */
  const secured = new Set();
  for (let grows = true; grows;) {
    grows = false;
    for (const [name, [seat]] of Object.entries(stones)) {
      const safe = (/** @type {View} */ { cell, isStar, between }) =>
        between.every((each) => closed.get(each)?.has(3 - seat)) &&
        (isStar ? between.length > 0 : cell !== null && secured.has(cell) &&
          stones[cell]?.[0] === seat);
      if (!secured.has(name) && (views.get(name) ?? []).some(safe)) {
        secured.add(name);
        grows = true;
      }
    }
  }
  return secured;
}

/** Draws the prospects below and around the stones. */
export class ProspectLayer {
  #isShown = false;

  /**
   * @param {Geometry} geometry
   * @param {Sight} sight
   */
  constructor(geometry, sight) {
    this.geometry = geometry;
    this.sight = sight;
    this.element = svg("g", { class: "prospects", "aria-hidden": "true" });
  }

  /** @param {boolean} shown */
  set shown(shown) {
    this.#isShown = shown;
  }

  /** @param {Stones} stones */
  show(stones) {
    if (!this.#isShown) {
      replace(this.element);
      return;
    }
    const { closed, secured } = prospectsOf(this.geometry, this.sight, stones);
    const cells = [...closed].map(([name, seats]) => {
      const whose = seats.size > 1 ? "both" : `seat-${[...seats][0]}`;
      return svg("circle", {
        class: `closed ${whose}`,
        "data-closed": name,
        ...centre(this.geometry.cells.get(name)),
        r: STONE_RADIUS - 0.08,
      });
    });
    const rings = [...secured].map((name) =>
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
