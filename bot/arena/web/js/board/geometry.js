/** A board as the page draws it: the server's points and lines, and what is computed from them. */

/** @import { RawBoard } from "../shared/api.js" */
/** @import { Seat } from "../shared/wire.d.ts" */

/** @typedef {{x: number, y: number}} Point */
/** @typedef {Point & {name: string, neighbours: string[], blue: number[]}} Cell */
/** @typedef {Record<string, [seat: Seat, kind: number]>} Stones */
/** @typedef {"up" | "down" | "left" | "right"} Direction */

/**
 * Connected stones, and what counts for them on the board.
 * @typedef {object} Group
 * @property {Seat} seat
 * @property {number} kind
 * @property {string[]} cells
 * @property {number[]} blue the blue stones that it touches
 * @property {string[]} free the empty cells that touch it
 * @property {[Point, Point][]} links the lines between its stones
 * @property {number[]} stars the stars that it gazes at
 */

/** Points nearer than this many units are neighbours. */
const NEAR = 1.3;

export class Geometry {
  /** @param {RawBoard} raw */
  constructor(raw) {
    this.edges = raw.edges;
    this.blue = raw.blue;
    this.stars = raw.stars;
    this.labels = raw.labels ?? [];
    /** @type {Cell[]} */
    this.list = raw.cells.map((cell) => ({ ...cell, neighbours: [], blue: [] }));
    this.cells = new Map(this.list.map((cell) => [cell.name, cell]));
    for (const [a, b] of raw.edges) {
      this.list[a]?.neighbours.push(raw.cells[b]?.name ?? "");
      this.list[b]?.neighbours.push(raw.cells[a]?.name ?? "");
    }
    raw.blue.forEach((stone, index) =>
      stone.touches.forEach((name) => this.cells.get(name)?.blue.push(index))
    );
    this.dots = (raw.dots ?? []).flatMap((name) => this.cells.get(name) ?? []);
    this.unit = Math.min(...raw.edges.map(([a, b]) => distance(this.list[a], this.list[b])));
  }

  /** Everything that is drawn, the cells first. */
  get points() {
    return [...this.list, ...this.blue, ...this.stars];
  }

  /**
   * The cells and stars next to a point.
   * @param {Point} point
   */
  around(point) {
    const places = [...this.list, ...this.stars];
    return places.filter((other) => other !== point && distance(point, other) < NEAR * this.unit);
  }

  /** Everything that is drawn on a large board: also the labels in its margin, and the corners between them. */
  get labelled() {
    const reach = Math.max(0, ...this.labels.map(({ x }) => x));
    const ends = [-reach, reach];
    return [...this.points, ...ends.flatMap((x) => ends.map((y) => ({ x, y })))];
  }

  /**
   * The smallest box around what is drawn, with a margin in board units.
   * @param {number} [margin]
   * @param {Point[]} [points]
   */
  box(margin = 0.75, points = this.points) {
    const xs = points.map((point) => point.x);
    const ys = points.map((point) => point.y);
    const [left, top] = [Math.min(...xs) - margin, Math.min(...ys) - margin];
    return {
      x: left,
      y: top,
      width: Math.max(...xs) + margin - left,
      height: Math.max(...ys) + margin - top,
    };
  }

  /**
   * The corners of the convex hull of some points, in order (Andrew's monotone chain).
   * @param {Point[]} points
   * @returns {Point[]}
   */
  static hull(points) {
    const sorted = [...points].sort((a, b) => a.x - b.x || a.y - b.y);
    const lower = chain(sorted);
    const upper = chain(sorted.reverse());
    return [...lower.slice(0, -1), ...upper.slice(0, -1)];
  }

  /**
   * The connected stones of one player and kind, those that touch most blue stones first.
   * @param {Stones} stones
   * @returns {Group[]}
   */
  groups(stones) {
    const seen = new Set();
    const groups = [];
    for (const name of Object.keys(stones)) {
      if (!seen.has(name)) {
        const cells = this.#connected(name, stones);
        cells.forEach((cell) => seen.add(cell));
        groups.push(this.#group(cells, stones));
      }
    }
    return groups.sort((a, b) => b.blue.length - a.blue.length || b.cells.length - a.cells.length);
  }

  /**
   * @param {string[]} names
   * @param {Stones} stones
   * @returns {Group}
   */
  #group(names, stones) {
    const [seat, kind] = stones[names[0] ?? ""] ?? [1, 1];
    const inside = new Set(names);
    const cells = names.flatMap((name) => this.cells.get(name) ?? []);
    const beside = cells.flatMap((cell) => cell.neighbours);
    return {
      seat,
      kind,
      cells: names,
      blue: [...new Set(cells.flatMap((cell) => cell.blue))],
      free: [...new Set(beside.filter((name) => !(name in stones)))],
      links: cells.flatMap((cell) =>
        cell.neighbours
          .filter((name) => inside.has(name) && name > cell.name)
          .flatMap((name) => this.cells.get(name) ?? [])
          .map((next) => /** @type {[Point, Point]} */ ([cell, next]))
      ),
      stars: [],
    };
  }

  /**
   * @param {string} from
   * @param {Stones} stones
   */
  #connected(from, stones) {
    const mine = String(stones[from]);
    const found = [from];
    const seen = new Set(found);
    for (const name of found) {
      for (const next of this.cells.get(name)?.neighbours ?? []) {
        if (!seen.has(next) && String(stones[next]) === mine) {
          seen.add(next);
          found.push(next);
        }
      }
    }
    return found;
  }

  /**
   * The cell nearest to a point, if it is within reach.
   * @param {Point} point
   * @param {number} reach in board units
   */
  nearest(point, reach = 0.7) {
    let best = null;
    let least = reach;
    for (const cell of this.list) {
      const away = distance(cell, point);
      if (away < least) {
        [best, least] = [cell, away];
      }
    }
    return best;
  }

  /** The cell nearest to the middle of the board. */
  middle() {
    const box = this.box(0);
    const centre = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    return this.nearest(centre, Infinity)?.name ?? "";
  }

  /**
   * The cell to which an arrow key leads. Cells aside cost more than cells ahead. `lane` is the line
   * on which the cursor moves, so that it does not drift in rows that zigzag.
   * @param {string} from
   * @param {Direction} direction
   * @param {Point} [lane]
   * @returns {string} `from` itself at the edge of the board
   */
  step(from, direction, lane) {
    const here = this.cells.get(from);
    if (!here) {
      return from;
    }
    const upright = direction === "up" || direction === "down";
    const sign = direction === "up" || direction === "left" ? -1 : 1;
    let best = from;
    let least = Infinity;
    for (const cell of this.list) {
      const ahead = sign * (upright ? cell.y - here.y : cell.x - here.x);
      const aside = Math.abs(upright ? cell.x - (lane ?? here).x : cell.y - (lane ?? here).y);
      const off = Math.abs(upright ? cell.x - here.x : cell.y - here.y);
      const cost = ahead + 2 * aside;
      if (ahead > 0.2 * this.unit && off <= 1.8 * ahead && cost < least - 1e-9) {
        [best, least] = [cell.name, cost];
      }
    }
    return best;
  }
}

/**
 * @param {Point | undefined} a
 * @param {Point | undefined} b
 */
export function distance(a, b) {
  return a && b ? Math.hypot(a.x - b.x, a.y - b.y) : Infinity;
}

/** @param {Point[]} sorted */
function chain(sorted) {
  /** @type {Point[]} */
  const kept = [];
  for (const point of sorted) {
    while (kept.length > 1 && !turnsLeft(kept[kept.length - 2], kept[kept.length - 1], point)) {
      kept.pop();
    }
    kept.push(point);
  }
  return kept;
}

/**
 * @param {Point | undefined} a
 * @param {Point | undefined} b
 * @param {Point} c
 */
function turnsLeft(a, b, c) {
  return !a || !b || (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) > 1e-9;
}
