/** Lines of sight on a board with stars: straight on, as far as the first stone or star. */

import { STAR } from "../shared/star_bounds.js";
import { distance } from "./geometry.js";

/** @import { Rays } from "../shared/star_bounds.js" */
/** @import { Geometry, Group, Point, Stones } from "./geometry.js" */

/**
 * Something that is seen.
 * @typedef {object} Sighting
 * @property {string | null} cell whose stone it is; null for a star
 * @property {number} star its index; -1 for a stone
 * @property {Point} point
 * @property {boolean} apart whether there is an empty cell in between
 */

const EXACT = 0.05;

export class Sight {
  /** What lies in each direction of a cell, the nearest first. @type {Map<string, Point[][]>} */
  #rays = new Map();
  /** The same by the places of cells in the list of the geometry, up to a star. @type {Rays} */
  rays;

  /** @param {Geometry} geometry */
  constructor(geometry) {
    this.geometry = geometry;
    /** @type {Map<Point, string>} */
    this.names = new Map(geometry.list.map((cell) => [cell, cell.name]));
    for (const cell of geometry.list) {
      const rays = geometry.around(cell).map((next) => this.#ray(cell, next));
      this.#rays.set(cell.name, rays);
    }
    this.rays = this.#placed();
  }

  /**
   * @param {Point} from
   * @param {Point} next
   */
  #ray(from, next) {
    const points = [next];
    const [dx, dy] = [next.x - from.x, next.y - from.y];
    for (let here = next, on; (on = this.#at(here.x + dx, here.y + dy)); here = on) {
      points.push(on);
    }
    return points;
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  #at(x, y) {
    const places = [...this.geometry.list, ...this.geometry.stars];
    return places.find((place) => distance(place, { x, y }) < EXACT);
  }

  /**
   * What is seen from a cell: the first stone or star in each direction.
   * @param {string} from
   * @param {Stones} stones
   * @returns {Sighting[]}
   */
  seen(from, stones) {
    return (this.#rays.get(from) ?? []).flatMap((ray) => {
      const index = ray.findIndex((point) => {
        const name = this.names.get(point);
        return name === undefined || name in stones;
      });
      const point = ray[index];
      if (!point) {
        return [];
      }
      const star = this.geometry.stars.indexOf(point);
      return [{ cell: this.names.get(point) ?? null, star, point, apart: index > 0 }];
    });
  }

  /** @returns {Rays} */
  #placed() {
    const { list } = this.geometry;
    const places = new Map(list.map(({ name }, place) => [name, place]));
    const placeOf = (/** @type {Point} */ point) => places.get(this.names.get(point) ?? "") ?? STAR;
    return list.map(({ name }) =>
      (this.#rays.get(name) ?? []).map((ray) => {
        const line = ray.map(placeOf);
        return line.includes(STAR) ? line.slice(0, line.indexOf(STAR) + 1) : line;
      })
    );
  }

  /**
   * One player's stones that see one another, with the stars at which they gaze.
   * @param {Stones} stones
   * @returns {Group[]}
   */
  groups(stones) {
    const done = new Set();
    const groups = [];
    for (const [name, [seat, kind]] of Object.entries(stones)) {
      if (done.has(name)) {
        continue;
      }
      /** @type {Group} */
      const group = { seat, kind, cells: [name], blue: [], free: [], links: [], stars: [] };
      for (const cell of group.cells) {
        done.add(cell);
        this.#look(cell, stones, group);
      }
      groups.push(group);
    }
    return groups;
  }

  /**
   * Add to a group what one of its stones sees.
   * @param {string} from
   * @param {Stones} stones
   * @param {Group} group
   */
  #look(from, stones, group) {
    const here = this.geometry.cells.get(from);
    if (!here) {
      return;
    }
    for (const sighting of this.seen(from, stones)) {
      const { cell, star, point } = sighting;
      if (cell !== null && stones[cell]?.[0] === group.seat) {
        group.links.push([here, point]);
        if (!group.cells.includes(cell)) {
          group.cells.push(cell);
        }
      } else if (isGazed(sighting)) {
        group.links.push([here, point]);
        if (!group.stars.includes(star)) {
          group.stars.push(star);
        }
      }
    }
  }
}

/**
 * Whether it is a star that can be gazed at: there is an empty cell before it.
 * @param {Sighting} sighting
 */
export function isGazed({ cell, apart }) {
  return cell === null && apart;
}
