/**
 * How many uninspired stones each player of Stargazers has at least, and at most, at the end.
 *
 * The engine computes the same numbers; `engine/games/stargazers/bounds.py` explains and proves them.
 */

/** @import { Seat } from "./wire.d.ts" */

/** In a ray: a star, which ends it. */
export const STAR = -1;

/**
 * What lies in each direction of each cell, the nearest first: indices of cells up to the edge, or up
 * to a star.
 * @typedef {number[][][]} Rays
 */

/**
 * What is known of the end of a game; players by their index.
 * @typedef {object} Foresight
 * @property {[number, number]} least uninspired stones at the end
 * @property {[number, number]} most
 * @property {[Set<number>, Set<number>]} open the cells on which each player may still place stones
 * @property {Set<number>} dead stones that can never be inspired again
 * @property {Set<number>} kept stones that stay inspired, whatever happens
 */

/**
 * @param {Rays} rays
 * @param {ArrayLike<number>} cells the player on each cell, or 0
 * @param {number} stonesATurn after the first turn
 * @returns {Foresight}
 */
export function foresee(rays, cells, stonesATurn) {
  const board = new Board(rays, Array.from(cells));
  const alive = board.both((seat) => board.alive(seat));
  const open = board.both((seat, index) => board.open(seat, alive[index]));
  const exposed = exposedOf(open, board.placed, stonesATurn);
  const kept = board.both((seat, index) => board.kept(seat, open, exposed[index]));
  const own = board.both((seat) => board.stones(seat));
  const dead = board.both((_, index) => own[index].filter((stone) => !alive[index].has(stone)));
  const most = board.both((seat, index) => {
    const loose = [...open[index]].filter((cell) =>
      !board.safeEnds(cell, seat, open).some(({ end }) => kept[index].has(end))
    );
    return own[index].length - kept[index].size + Math.min(exposed[index], loose.length);
  });
  return {
    least: [dead[0].length, dead[1].length],
    most,
    open,
    dead: new Set(dead.flat()),
    kept: new Set([...kept[0], ...kept[1]]),
  };
}

/**
 * The early end of a game that is not over; null if the numbers decide nothing.
 * @param {Foresight} foresight
 * @returns {{ winner: Seat, assured: number, potential: number } | null}
 */
export function earlyEndOf({ least, most }) {
  if (least[1] > most[0]) {
    return { winner: 1, assured: least[1], potential: most[0] };
  }
  return least[0] > most[1] ? { winner: 2, assured: least[0], potential: most[1] } : null;
}

/**
 * How many stones each player may place before the last one of the other.
 * @param {[Set<number>, Set<number>]} open
 * @param {number} placed how many stones are on the board: they tell whose turn it is
 * @param {number} stonesATurn
 * @returns {[number, number]}
 */
function exposedOf(open, placed, stonesATurn) {
  const either = new Set([...open[0], ...open[1]]).size;
  /** @type {[number, number]} */
  const found = [0, 0];
  const more = [0, 0];
  for (let number = placed; number < placed + either; number += 1) {
    const mover = number === 0 ? 0 : Math.floor((number - 1) / stonesATurn) % 2 === 0 ? 1 : 0;
    if (more[mover] === open[mover].size) {
      break;
    }
    more[mover] = (more[mover] ?? 0) + 1;
    found[mover === 0 ? 1 : 0] = more[mover === 0 ? 1 : 0] ?? 0;
  }
  return found;
}

/** A board on which stones may be imagined. */
class Board {
  /**
   * @param {Rays} rays
   * @param {number[]} cells
   */
  constructor(rays, cells) {
    this.rays = rays;
    this.cells = cells;
    this.placed = cells.filter((content) => content !== 0).length;
  }

  /**
   * @template T
   * @param {(seat: number, index: 0 | 1) => T} find
   * @returns {[T, T]}
   */
  both(find) {
    return [find(1, 0), find(2, 1)];
  }

  /** @param {number} seat */
  stones(seat) {
    return [...this.cells.keys()].filter((cell) => this.cells[cell] === seat);
  }

  /**
   * What a cell sees in each direction: the empty cells on the way, and the stone or STAR after them.
   * @param {number} cell
   */
  views(cell) {
    return (this.rays[cell] ?? []).map((ray) => {
      const at = ray.findIndex((place) => place === STAR || this.cells[place] !== 0);
      return { gap: at < 0 ? ray : ray.slice(0, at), end: ray[at] ?? null };
    });
  }

  /**
   * The cells and stones of a player that are, or can become, inspired.
   * @param {number} seat
   */
  alive(seat) {
    const mine = (/** @type {number} */ cell) => [0, seat].includes(this.cells[cell] ?? -1);
    const gazes = (/** @type {number} */ cell) =>
      this.views(cell).some(({ gap, end }) => end === STAR && gap.length > 0);
    const found = new Set([...this.cells.keys()].filter((cell) => mine(cell) && gazes(cell)));
    for (const cell of found) {
      for (const { gap, end } of this.views(cell)) {
        [...gap, end ?? STAR].filter(mine).forEach((reached) => found.add(reached));
      }
    }
    return found;
  }

  /**
   * The cells on which a player may still place stones.
   * @param {number} seat
   * @param {Set<number>} alive
   */
  open(seat, alive) {
    const empty = [...alive].filter((cell) => this.cells[cell] === 0);
    return new Set(empty.filter((cell) => this.#aliveWith([cell], seat).has(cell)));
  }

  /**
   * What is alive if the player had stones on some cells.
   * @param {Iterable<number>} filled
   * @param {number} seat
   */
  #aliveWith(filled, seat) {
    const imagined = [...this.cells];
    for (const cell of filled) {
      imagined[cell] = seat;
    }
    return new Board(this.rays, imagined).alive(seat);
  }

  /**
   * What is at the end of the lines of a cell on which only the player can place stones.
   * @param {number} cell
   * @param {number} seat
   * @param {[Set<number>, Set<number>]} open
   */
  safeEnds(cell, seat, open) {
    const enemys = open[seat === 1 ? 1 : 0];
    return this.views(cell).flatMap(({ gap, end }) =>
      end === null || gap.some((each) => enemys.has(each)) ? [] : [{ gap, end }]
    );
  }

  /**
   * The stones of a player that stay inspired, whatever happens.
   * @param {number} seat
   * @param {[Set<number>, Set<number>]} open
   * @param {number} exposed
   */
  kept(seat, open, exposed) {
    const kept = new Set();
    const seen = new Set();
    for (const stone of this.stones(seat)) {
      if (!seen.has(stone)) {
        const { group, eyes } = this.#group(stone, seat, open);
        group.forEach((each) => seen.add(each));
        if (eyes.size > 0 && this.#isKept(stone, eyes, seat, open, exposed)) {
          group.forEach((each) => kept.add(each));
        }
      }
    }
    return kept;
  }

  /**
   * @param {number} stone of a group
   * @param {Set<number>} eyes of that group
   * @param {number} seat
   * @param {[Set<number>, Set<number>]} open
   * @param {number} exposed
   */
  #isKept(stone, eyes, seat, open, exposed) {
    const mine = open[seat === 1 ? 0 : 1];
    return eyes.size > exposed || [...eyes].some((eye) => !mine.has(eye)) ||
      !this.#aliveWith(eyes, seat).has(stone);
  }

  /**
   * The stones that are linked with one for good, and the eyes of all.
   * @param {number} stone
   * @param {number} seat
   * @param {[Set<number>, Set<number>]} open
   */
  #group(stone, seat, open) {
    const group = new Set([stone]);
    /** @type {Set<number>} */
    const eyes = new Set();
    for (const each of group) {
      for (const { gap, end } of this.safeEnds(each, seat, open)) {
        const eye = gap.at(-1);
        if (end === STAR) {
          eye !== undefined && eyes.add(eye);
        } else if (this.cells[end] === seat) {
          group.add(end);
        }
      }
    }
    return { group, eyes };
  }
}
