/** A small board that shows a game and takes no input. */

import { replace, svg } from "../shared/dom.js";
import { Ground } from "./ground.js";
import { Lattice } from "./lattice.js";
import { centre } from "./marks.js";
import { blueStone, dots, lines, shading, star, stone, surface } from "./parts.js";

/** @import { PositionView } from "../shared/wire.d.ts" */
/** @import { Board } from "./board.js" */
/** @import { Geometry } from "./geometry.js" */

export class SmallBoard {
  /** @param {Board} geometry */
  constructor(geometry) {
    this.geometry = geometry;
    this.ground = geometry instanceof Lattice ? new Ground(geometry) : null;
    const { x, y, width, height } = geometry.box();
    this.stones = svg("g", { class: "stones" });
    this.marks = svg("g", { class: "marks" });
    this.element = svg(
      "svg",
      { class: "board small", viewBox: `${x} ${y} ${width} ${height}`, "aria-hidden": "true" },
      this.ground?.element,
      geometry instanceof Lattice ? null : ground(geometry),
      geometry.blue.map((_, index) => blueStone(geometry, index)),
      svg("g", { class: "stars" }, geometry.stars.map((place) => star(place))),
      this.stones,
      this.marks,
    );
  }

  /** @param {PositionView} position */
  show({ stones, last }) {
    if (this.geometry instanceof Lattice) {
      const { x, y, width, height } = this.geometry.box(Object.keys(stones), 1);
      this.element.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
      this.ground?.show(stones);
    }
    const cell = (/** @type {string} */ name) => this.geometry.cells.get(name);
    replace(
      this.stones,
      Object.entries(stones).map(([name, [seat, kind]]) => {
        const place = cell(name);
        return place ? stone(place, seat, kind) : null;
      }),
    );
    const there = last.filter((name) => name in stones);
    replace(
      this.marks,
      there.map((name) => svg("circle", { class: "last", ...centre(cell(name)), r: 0.15 })),
    );
  }
}

/** @param {Geometry} geometry */
function ground(geometry) {
  return [surface(geometry.points), lines(geometry), ...dots(geometry)];
}

/** The gradients of all small boards, once per page. */
export function commonShading() {
  return svg("svg", { class: "shading", width: 0, height: 0, "aria-hidden": "true" }, shading());
}
