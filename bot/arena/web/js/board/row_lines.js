/** Lines under the stones: the row that wins, and rows that can be completed in one turn. */

import { replace, svg } from "../shared/dom.js";
import { centre } from "./marks.js";

/** @import { Stones } from "./geometry.js" */
/** @import { Line, Rows } from "./rows.js" */

export class RowLines {
  element = svg("g", { class: "rows", "aria-hidden": "true" });
  /** Whether rows that can be completed are shown. */
  showsThreats = false;

  /** @param {Rows | null} rows null in games without rows */
  constructor(rows) {
    this.rows = rows;
  }

  /** @param {Stones} stones */
  show(stones) {
    const { rows } = this;
    if (!rows) {
      return;
    }
    const won = rows.won(stones);
    const threats = this.showsThreats && won.length === 0 ? rows.threats(stones) : [];
    replace(
      this.element,
      won.map((row) => lineOf(rows, "won", row)),
      threats.map((row) => lineOf(rows, "threat", row)),
      threats.flatMap((row) => missing(rows, row, stones)),
    );
  }
}

/**
 * @param {Rows} rows
 * @param {string} name its class
 * @param {Line} line
 */
function lineOf(rows, name, { seat, cells }) {
  const [[a, b] = []] = rows.ends(cells);
  const d = a && b ? `M${a.x} ${a.y}L${b.x} ${b.y}` : "";
  return svg("path", { class: `${name} seat-${seat}`, d });
}

/**
 * A dot of the player's colour on each empty cell of a line.
 * @param {Rows} rows
 * @param {Line} line
 * @param {Stones} stones
 */
function missing(rows, { seat, cells }, stones) {
  const empty = cells.filter((name) => !(name in stones));
  return empty.map((name) => {
    const place = centre(rows.lattice.cells.get(name));
    return svg("circle", { class: `need seat-${seat}`, ...place, r: 0.12 });
  });
}
