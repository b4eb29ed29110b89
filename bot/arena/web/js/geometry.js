/** A board as the page draws it: the server's points and lines, and what follows from them. */

/**
 * What GET /api/boards/{game}/{board} answers; y grows downwards, neighbours are about 1 apart.
 * @typedef {object} RawBoard
 * @property {{name: string, x: number, y: number}[]} cells
 * @property {[number, number][]} edges
 * @property {{x: number, y: number, touches: string[]}[]} blue
 */

/** @typedef {{x: number, y: number}} Point */
/** @typedef {Point & {name: string, neighbours: string[], blue: number[]}} Cell */
/** @typedef {{seat: number, cells: string[], blue: number[]}} Group */
/** @typedef {"up" | "down" | "left" | "right"} Direction */

export class Geometry {
  /** @param {RawBoard} raw */
  constructor(raw) {
    this.edges = raw.edges;
    this.blue = raw.blue;
    /** @type {Cell[]} */
    this.list = raw.cells.map((cell) => ({ ...cell, neighbours: [], blue: [] }));
    this.cells = new Map(this.list.map((cell) => [cell.name, cell]));
    for (const [a, b] of raw.edges) {
      this.list[a]?.neighbours.push(raw.cells[b]?.name ?? "");
      this.list[b]?.neighbours.push(raw.cells[a]?.name ?? "");
    }
    raw.blue.forEach((stone, index) =>
      stone.touches.forEach((name) => this.cells.get(name)?.blue.push(index)),
    );
    this.unit = Math.min(...raw.edges.map(([a, b]) => distance(this.list[a], this.list[b])));
  }

  /** The smallest box round everything that is drawn, with a margin in board units. */
  box(margin = 0.75) {
    const points = [...this.list, ...this.blue];
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
   * The corners of the smallest convex shape round some points, in order (Andrew's monotone chain).
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
   * The groups on the board, those that touch most blue stones first.
   * @param {Record<string, [number, number]>} stones
   * @returns {Group[]}
   */
  groups(stones) {
    const seen = new Set();
    const groups = [];
    for (const name of Object.keys(stones)) {
      if (!seen.has(name)) {
        const cells = this.#connected(name, stones);
        cells.forEach((cell) => seen.add(cell));
        const blue = new Set(cells.flatMap((cell) => this.cells.get(cell)?.blue ?? []));
        groups.push({ seat: stones[name]?.[0] ?? 0, cells, blue: [...blue] });
      }
    }
    return groups.sort((a, b) => b.blue.length - a.blue.length || b.cells.length - a.cells.length);
  }

  /**
   * @param {string} from
   * @param {Record<string, [number, number]>} stones
   */
  #connected(from, stones) {
    const seat = stones[from]?.[0];
    const found = [from];
    const seen = new Set(found);
    for (const name of found) {
      for (const next of this.cells.get(name)?.neighbours ?? []) {
        if (!seen.has(next) && stones[next]?.[0] === seat) {
          seen.add(next);
          found.push(next);
        }
      }
    }
    return found;
  }

  /**
   * The cell nearest to a point, if it is near enough to be meant.
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
   * Where an arrow key leads from a cell. Cells aside cost more than cells ahead; `lane` is the
   * line on which the cursor travels, so that a zigzag of rows does not carry it away.
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
