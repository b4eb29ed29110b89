/** The first player's chance to win over the turns of a game: a curve for each bot that reports it. */

import { h, replace, svg } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { sideTitle } from "../shared/sentences.js";
import { Signal } from "../shared/signal.js";

/** @import { GameState, Seat } from "../shared/wire.d.ts" */
/** @import { Opinion } from "./evaluation.js" */

const HEIGHT = 60;
const WIDTH = 300;
const AXIS = [100, 50, 0].map((n) => t("common.percent", { n }));

export class EvaluationGraph {
  /** @type {Signal<number>} a ply to look at */
  wanted = new Signal();
  #plies = 1;

  constructor() {
    this.plot = svg("svg", {
      class: "evaluation-plot",
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": t("game.evaluation.graph"),
      onclick: (/** @type {MouseEvent} */ event) => this.#click(event),
    });
    this.legend = h("figcaption", { class: "evaluation-legend" });
    const labels = AXIS.map((label) => h("span", {}, label));
    this.element = h(
      "figure",
      { class: "evaluation-graph" },
      h("div", { class: "evaluation-axis", "aria-hidden": "true" }, labels),
      this.plot,
      this.legend,
    );
  }

  /**
   * @param {GameState} game
   * @param {Opinion[]} all
   * @param {number} ply the shown ply
   * @param {number} kinds how many kinds of stones a player owns
   */
  update(game, all, ply, kinds) {
    this.#plies = Math.max(1, game.turns.length);
    const seats = [...new Set(all.map((opinion) => opinion.seat))].sort();
    replace(this.plot, ...this.#drawing(all, seats, ply));
    const names = seats.map((seat, index) =>
      h("span", { class: "evaluation-name" }, sample(index), game.players[seat - 1]?.name)
    );
    const words = t("game.evaluation.legend", { side: sideTitle(1, kinds) });
    replace(this.legend, `${words} `, ...names);
  }

  /**
   * @param {Opinion[]} all
   * @param {Seat[]} seats
   * @param {number} ply
   */
  #drawing(all, seats, ply) {
    const x = (/** @type {number} */ at) => ((at / this.#plies) * WIDTH).toFixed(1);
    const y = (/** @type {number} */ black) => ((1 - black) * HEIGHT).toFixed(1);
    const curves = seats.map((seat, index) => {
      const said = all.filter((opinion) => opinion.seat === seat);
      const points = said.map(({ ply: at, black }) => `${x(at)},${y(black)}`).join(" ");
      return svg("polyline", { class: curveClass(index), points });
    });
    return [
      svg("line", { class: "even", x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2 }),
      svg("line", { class: "now", x1: x(ply), x2: x(ply), y1: 0, y2: HEIGHT }),
      ...curves,
    ];
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const { left, width } = this.plot.getBoundingClientRect();
    this.wanted.emit(Math.round(((event.clientX - left) / width) * this.#plies));
  }
}

/** @param {number} index which of the curves */
function curveClass(index) {
  return index === 0 ? "curve" : "curve second";
}

/**
 * How a curve is drawn, for the legend.
 * @param {number} index
 */
function sample(index) {
  const line = svg("path", { class: curveClass(index), d: "M0 5h22" });
  return svg("svg", { viewBox: "0 0 22 10", "aria-hidden": "true" }, line);
}
