/** Stones in a row on a lattice: rows as they stand, and rows that can be completed in one turn. */

import { AXES, nameOf, placeOf, sum } from "./lattice.js";

/** @import { Seat } from "../shared/wire.d.ts" */
/** @import { Group, Point, Stones } from "./geometry.js" */
/** @import { Lattice, Place } from "./lattice.js" */

/**
 * Cells on one line, in order.
 * @typedef {{seat: Seat, cells: string[]}} Line
 */

const STONES_A_TURN = 2;

export class Rows {
  /** @type {{stones: Stones | null, threats: Line[]}} */
  #last = { stones: null, threats: [] };

  /**
   * @param {Lattice} lattice
   * @param {number} goal how many stones in a row win
   */
  constructor(lattice, goal) {
    this.lattice = lattice;
    this.goal = goal;
  }

  /**
   * Every stone with the longest row through it: longer rows come later.
   * @param {Stones} stones
   * @returns {Group[]}
   */
  groups(stones) {
    const rows = this.#rows(stones).sort((a, b) => a.cells.length - b.cells.length);
    return rows.map(({ seat, cells }) => {
      const kind = stones[cells[0] ?? ""]?.[1] ?? 1;
      return { seat, kind, cells, blue: [], free: [], links: this.ends(cells), stars: [] };
    });
  }

  /**
   * The rows that win.
   * @param {Stones} stones
   */
  won(stones) {
    return this.#rows(stones).filter(({ cells }) => cells.length >= this.goal);
  }

  /**
   * The lines on which a player can complete a row in one turn, with no stone of the opponent.
   * @param {Stones} stones
   */
  threats(stones) {
    if (this.#last.stones !== stones) {
      this.#last = { stones, threats: AXES.flatMap((axis) => this.#threats(stones, axis)) };
    }
    return this.#last.threats;
  }

  /**
   * The line from the first to the last of some cells; none if there is only one.
   * @param {string[]} cells
   * @returns {[Point, Point][]}
   */
  ends(cells) {
    const [first, last] = [cells[0], cells.at(-1)].map((name) =>
      this.lattice.cells.get(name ?? "")
    );
    return first && last && first !== last ? [[first, last]] : [];
  }

  /** @param {Stones} stones */
  #rows(stones) {
    return AXES.flatMap((axis) =>
      Object.entries(stones).flatMap(([name, [seat]]) => {
        const start = placeOf(name);
        if (!start || stones[nameOf(sum(start, axis, -1))]?.[0] === seat) {
          return []; // not the first stone of its row
        }
        const cells = [name];
        for (let next; stones[next = nameOf(sum(start, axis, cells.length))]?.[0] === seat;) {
          cells.push(next);
        }
        return [{ seat, cells }];
      })
    );
  }

  /**
   * Windows of `goal` cells that overlap are one threat.
   * @param {Stones} stones
   * @param {Place} axis
   */
  #threats(stones, axis) {
    /** @type {Map<string, Line>} */
    const windows = new Map();
    for (const [name, [seat]] of Object.entries(stones)) {
      const place = placeOf(name);
      for (let back = 0; place && back < this.goal; back++) {
        const start = sum(place, axis, -back);
        const cells = Array.from({ length: this.goal }, (_, at) => nameOf(sum(start, axis, at)));
        const owners = cells.map((cell) => stones[cell]?.[0] ?? 0);
        const own = owners.filter((owner) => owner === seat).length;
        const free = owners.filter((owner) => owner === 0).length;
        if (own >= this.goal - STONES_A_TURN && own + free === this.goal) {
          windows.set(nameOf(start), { seat, cells });
        }
      }
    }
    return joined(windows, axis);
  }
}

/**
 * @param {Map<string, Line>} windows by the name of their first cell
 * @param {Place} axis
 */
function joined(windows, axis) {
  /** @type {Line[]} */
  const lines = [];
  for (const [name, { seat, cells }] of windows) {
    const start = placeOf(name);
    if (!start || windows.get(nameOf(sum(start, axis, -1)))?.seat === seat) {
      continue;
    }
    const line = [...cells];
    for (let n = 1, next; (next = windows.get(nameOf(sum(start, axis, n))))?.seat === seat; n++) {
      line.push(next?.cells.at(-1) ?? "");
    }
    lines.push({ seat, cells: line });
  }
  return lines;
}
