/** A board without an end: a hexagonal lattice, whose cells are computed from their names `q:r`. */

/** @import { RawLattice } from "../shared/api.js" */
/** @import { Cell, Direction, Point, Stones } from "./geometry.js" */

/** @typedef {readonly [q: number, r: number]} Place */
/** @typedef {{x: number, y: number, width: number, height: number}} Box */

/**
 * @typedef {object} Surroundings
 * @property {Set<string>} near the cells that are drawn
 * @property {Set<string>} within the cells with stones, and all within reach of them
 * @property {boolean} isLarge whether there are too many cells to show them all
 */

/** The three lines through a cell. @type {readonly Place[]} */
export const AXES = [[1, 0], [0, 1], [1, -1]];
/** @type {readonly Place[]} */
const BESIDE = [...AXES, ...AXES.map(([q, r]) => /** @type {const} */ ([-q, -r]))];

/** Cells this near to a stone are drawn and described; games are rarely played beyond. */
const NEAR = 3;
/** The most cells that are drawn at any size; a long game of strong players has a thousand. */
const MOST = 2500;
/** The smallest size in pixels at which cells can be told apart. */
const FINEST = 14;
/** How far beyond the view cells are computed, so that a small move needs no others. */
const BEYOND = 6;
/** Half the width and height of the smallest part of the board that is shown as a whole. */
const LEAST = 4.5;

export class Lattice {
  /** A lattice has neither: they are here as on other boards. @type {never[]} */
  blue = [];
  /** @type {never[]} */
  stars = [];
  /** What every position shows. @type {never[]} */
  list = [];
  cells = { get: (/** @type {string} */ name) => this.#cell(name) };
  /** @type {Map<string, Cell>} */
  #known = new Map();
  /** Those of the last stones asked about. @type {Surroundings & {key: string, names: Set<string>}} */
  #around = { key: "?", names: new Set(), near: new Set(), within: new Set(), isLarge: false };
  /** What is seen of the board, and somewhat more; null: nothing that could be told apart. @type {Box | null} */
  #part = null;

  /**
   * @param {RawLattice} raw
   * @param {number} [reach] how far from a stone a cell may be to be played
   */
  constructor({ q, r }, reach = NEAR) {
    this.q = q;
    this.r = r;
    this.reach = reach;
  }

  /** @param {string} name */
  #cell(name) {
    const known = this.#known.get(name);
    const place = known ? null : placeOf(name);
    if (!place) {
      return known;
    }
    const neighbours = BESIDE.map((step) => nameOf(sum(place, step)));
    const cell = { name, ...this.#point(place), neighbours, blue: [] };
    this.#known.set(name, cell);
    return cell;
  }

  /** @param {Place} place */
  #point([q, r]) {
    return { x: q * this.q[0] + r * this.r[0], y: q * this.q[1] + r * this.r[1] };
  }

  /**
   * The cell whose hexagon holds a point.
   * @param {Point} point
   */
  nearest({ x, y }) {
    const area = this.q[0] * this.r[1] - this.q[1] * this.r[0];
    const q = (x * this.r[1] - y * this.r[0]) / area;
    const r = (y * this.q[0] - x * this.q[1]) / area;
    return this.#cell(nameOf(rounded(q, r)));
  }

  /** The cell on which a game begins. */
  middle() {
    return "0:0";
  }

  /**
   * The cells around some stones.
   * @param {Stones} stones
   * @param {string[]} [more] stones that are not sent yet
   */
  around(stones, more = []) {
    const names = [...Object.keys(stones), ...more];
    const key = names.join();
    if (key !== this.#around.key) {
      const shown = this.#grown(names) ?? this.#surroundings(names);
      this.#around = { key, names: new Set(names), ...shown };
    }
    return this.#around;
  }

  /**
   * The surroundings of the last stones with those of a few more.
   * @param {string[]} names of cells with stones
   * @returns {Surroundings | null} null if they must be computed as a whole
   */
  #grown(names) {
    const { names: before, near, within, isLarge } = this.#around;
    const added = placesOf(names.filter((name) => !before.has(name)));
    const isMore = before.size > 0 && new Set(names).size === before.size + added.length;
    if (!isMore || isLarge) {
      return null;
    }
    const more = disks(added, NEAR, near);
    return more.size > MOST
      ? null
      : { near: more, within: disks(added, this.reach, within), isLarge: false };
  }

  /**
   * @param {string[]} names of cells with stones
   * @returns {Surroundings}
   */
  #surroundings(names) {
    const places = placesOf(names.length ? names : [this.middle()]);
    const reach = names.length ? this.reach : 0;
    const near = disks(places, NEAR);
    if (near.size <= MOST) {
      return { near, within: disks(places, reach), isLarge: false };
    }
    const part = this.#part;
    const seen = part ? places.filter((place) => isIn(this.#point(place), part, this.reach)) : [];
    return { near: disks(seen, NEAR), within: disks(seen, reach), isLarge: true };
  }

  /**
   * Take notice of what is seen of the board. Of very many cells only those in view are computed, and
   * none if they are too small to be told apart.
   * @param {Box} box
   * @param {number} scale pixels per board unit
   * @returns {boolean} whether other cells than before are computed now
   */
  look(box, scale) {
    const { isLarge } = this.#around;
    const isFine = scale >= FINEST;
    const known = this.#part;
    if (isLarge && (isFine ? known !== null && isPartOf(box, known) : known === null)) {
      return false;
    }
    this.#part = isFine ? grown(box) : null;
    this.#around.key = isLarge ? "?" : this.#around.key;
    return isLarge;
  }

  /**
   * The cell to which an arrow key leads: up and down in a zigzag along `lane`.
   * @param {string} from
   * @param {Direction} direction
   * @param {Point} [lane]
   * @param {Set<string>} [within] the cells to stay on
   * @returns {string} `from` itself at the edge
   */
  step(from, direction, lane, within) {
    const place = placeOf(from);
    const here = this.#cell(from);
    if (!place || !here) {
      return from;
    }
    const sign = direction === "up" || direction === "left" ? -1 : 1;
    const upright = direction === "up" || direction === "down";
    const ahead = (/** @type {Point} */ { x, y }) => sign * (upright ? y - here.y : x - here.x);
    const aside = (/** @type {Point} */ { x, y }) =>
      Math.abs(upright ? x - (lane ?? here).x : y - (lane ?? here).y);
    const cells = here.neighbours.flatMap((name) => this.#cell(name) ?? []);
    const [best] = cells
      .filter((cell) => ahead(cell) > 0.55 && (within?.has(cell.name) ?? true))
      .sort((a, b) => aside(a) - aside(b) || a.x - b.x);
    return best?.name ?? from;
  }

  /**
   * The box around some cells and a margin, in board units.
   * @param {Iterable<string>} [names]
   * @param {number} [margin]
   * @param {number} [least] half the smallest width and height
   * @returns {Box}
   */
  box(names = [], margin = NEAR, least = LEAST) {
    const cells = [...names].flatMap((name) => this.#cell(name) ?? []);
    const [x, width] = extent(cells.map((cell) => cell.x), margin, least);
    const [y, height] = extent(cells.map((cell) => cell.y), margin, least);
    return { x, y, width, height };
  }

  /** Stones of this board make rows, not groups. @returns {never[]} */
  groups() {
    return [];
  }
}

/**
 * @param {Box} box
 * @returns {Box}
 */
function grown({ x, y, width, height }) {
  return {
    x: x - BEYOND,
    y: y - BEYOND,
    width: width + 2 * BEYOND,
    height: height + 2 * BEYOND,
  };
}

/**
 * @param {Point} point
 * @param {Box} box
 * @param {number} margin around the box
 */
function isIn(point, { x, y, width, height }, margin) {
  return point.x >= x - margin && point.x <= x + width + margin &&
    point.y >= y - margin && point.y <= y + height + margin;
}

/**
 * @param {Box} part
 * @param {Box} whole
 */
function isPartOf({ x, y, width, height }, whole) {
  return isIn({ x, y }, whole, 0) && isIn({ x: x + width, y: y + height }, whole, 0);
}

/**
 * @param {number[]} values
 * @param {number} margin
 * @param {number} least
 * @returns {[start: number, size: number]}
 */
function extent(values, margin, least) {
  const low = values.length ? Math.min(...values) : 0;
  const high = values.length ? Math.max(...values) : 0;
  const half = Math.max((high - low) / 2 + margin, least);
  return [(low + high) / 2 - half, 2 * half];
}

/**
 * @param {string} name
 * @returns {Place | null}
 */
export function placeOf(name) {
  const [, q, r] = /^(-?\d{1,6}):(-?\d{1,6})$/.exec(name) ?? [];
  return q === undefined ? null : [Number(q), Number(r)];
}

/** @param {string[]} names */
function placesOf(names) {
  return names.map(placeOf).filter((place) => place !== null);
}

/** @param {Place} place */
export function nameOf([q, r]) {
  return `${q}:${r}`;
}

/**
 * @param {Place} place
 * @param {Place} step
 * @param {number} [times]
 * @returns {Place}
 */
export function sum([q, r], [dq, dr], times = 1) {
  return [q + times * dq, r + times * dr];
}

/**
 * The names of all cells within a distance of some places.
 * @param {readonly Place[]} places
 * @param {number} distance
 * @param {Set<string>} [others] that are added to these
 */
function disks(places, distance, others) {
  const names = new Set(others);
  for (const [q, r] of places) {
    for (let dq = -distance; dq <= distance; dq++) {
      const first = Math.max(-distance, -dq - distance);
      const last = Math.min(distance, -dq + distance);
      for (let dr = first; dr <= last; dr++) {
        names.add(`${q + dq}:${r + dr}`);
      }
    }
  }
  return names;
}

/**
 * The hexagon that holds a point: the axis with the largest error follows from the other two.
 * @param {number} q
 * @param {number} r
 * @returns {Place}
 */
function rounded(q, r) {
  const [a, b, c] = [Math.round(q), Math.round(r), Math.round(-q - r)];
  const errors = [Math.abs(a - q), Math.abs(b - r), Math.abs(c + q + r)];
  const worst = errors.indexOf(Math.max(...errors));
  // Adding 0 turns -0 into 0.
  return [worst === 0 ? 0 - b - c : a + 0, worst === 1 ? 0 - a - c : b + 0];
}
