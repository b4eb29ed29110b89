/** A small picture of an empty board, for lists and choosers. */

import { svg } from "../shared/dom.js";
import { tiles } from "./ground.js";
import { Lattice } from "./lattice.js";
import { lines, star } from "./parts.js";

/** @import { Board } from "./board.js" */

/** @param {Board} board */
export function thumbnail(board) {
  const { x, y, width, height } = board instanceof Lattice ? board.box([], 3.6, 0) : board.box(0.6);
  const dots = board.blue.map((dot) =>
    svg("circle", { class: "gem", cx: dot.x, cy: dot.y, r: 0.33 })
  );
  const attributes = {
    class: "thumbnail",
    viewBox: `${x} ${y} ${width} ${height}`,
    "aria-hidden": "true",
  };
  const stars = board.stars.map((point) => star(point, 0.45));
  return svg("svg", attributes, grid(board), dots, stars);
}

/** @param {Board} board */
function grid(board) {
  return board instanceof Lattice
    ? svg("path", { class: "lines", d: tiles(board, board.around({}).near) })
    : lines(board);
}
