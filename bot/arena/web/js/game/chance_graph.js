/** The frame of a graph of the first player's chance over the turns of a game. */

import { h, replace, svg } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { Signal } from "../shared/signal.js";

const HEIGHT = 60;
const WIDTH = 300;
const AXIS = [100, 50, 0].map((n) => t("common.percent", { n }));

/** A point of a curve: a ply, and the first player's chance there, from 0 to 1. @typedef {{ply: number, chance: number}} Point */

export class ChanceGraph {
  /** @type {Signal<number>} a ply to look at */
  wanted = new Signal();
  #plies = 1;

  /** @param {string} label */
  constructor(label) {
    this.element = svg("svg", {
      class: "evaluation-plot",
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": label,
      onclick: (/** @type {MouseEvent} */ event) => this.#click(event),
    });
    const labels = AXIS.map((label) => h("span", {}, label));
    this.axis = h("div", { class: "evaluation-axis", "aria-hidden": "true" }, labels);
  }

  /**
   * @param {number} plies of the game
   * @param {number} shown the shown ply
   * @param {{style: string, points: Point[]}[]} curves
   */
  draw(plies, shown, curves) {
    this.#plies = Math.max(1, plies);
    replace(
      this.element,
      svg("line", { class: "even", x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2 }),
      svg("line", { class: "now", x1: this.#x(shown), x2: this.#x(shown), y1: 0, y2: HEIGHT }),
      ...curves.map(({ style, points }) =>
        svg("polyline", { class: style, points: points.map((each) => this.#place(each)).join(" ") })
      ),
    );
  }

  /** How far along a ply is, from 0 to 1. @param {number} ply */
  along(ply) {
    return ply / this.#plies;
  }

  /** @param {Point} point */
  #place({ ply, chance }) {
    return `${this.#x(ply)},${((1 - chance) * HEIGHT).toFixed(1)}`;
  }

  /** @param {number} ply */
  #x(ply) {
    return (this.along(ply) * WIDTH).toFixed(1);
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const { left, width } = this.element.getBoundingClientRect();
    this.wanted.emit(Math.round(((event.clientX - left) / width) * this.#plies));
  }
}
