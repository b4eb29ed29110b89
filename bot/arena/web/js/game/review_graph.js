/** The first player's chance over an analysed game as a curve, with dots for marked turns. */

import { h, replace, svg } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { Signal } from "../shared/signal.js";
import { firstPlayersChance } from "./review.js";

/** @import { AnalysedTurn, GameAnalysis } from "../shared/wire.d.ts" */

const HEIGHT = 60;
const WIDTH = 300;
const AXIS = [100, 50, 0].map((n) => t("common.percent", { n }));

export class ReviewGraph {
  /** @type {Signal<number>} a ply to look at */
  wanted = new Signal();
  #plies = 1;

  constructor() {
    this.plot = svg("svg", {
      class: "evaluation-plot",
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": t("game.review_graph"),
      onclick: (/** @type {MouseEvent} */ event) => this.#click(event),
    });
    this.dots = h("div", { class: "review-dots", "aria-hidden": "true" });
    const labels = AXIS.map((label) => h("span", {}, label));
    this.element = h(
      "div",
      { class: "evaluation-graph review-graph" },
      h("div", { class: "evaluation-axis", "aria-hidden": "true" }, labels),
      h("div", { class: "review-plot" }, this.plot, this.dots),
    );
  }

  /**
   * @param {GameAnalysis} analysis
   * @param {number} plies of the game
   * @param {number} ply the shown ply
   */
  update({ turns }, plies, ply) {
    this.#plies = Math.max(1, plies);
    const x = (/** @type {number} */ at) => ((at / this.#plies) * WIDTH).toFixed(1);
    const known = turns.flatMap((turn) => {
      const chance = firstPlayersChance(turn);
      return chance === null ? [] : [{ turn, chance }];
    });
    const points = known.map(({ turn, chance }) => `${x(turn.ply + 1)},${(1 - chance) * HEIGHT}`);
    replace(
      this.plot,
      svg("line", { class: "even", x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2 }),
      svg("line", { class: "now", x1: x(ply), x2: x(ply), y1: 0, y2: HEIGHT }),
      svg("polyline", { class: "curve", points: points.join(" ") }),
    );
    const marked = known.filter(({ turn }) => turn.mark !== null);
    replace(this.dots, marked.map(({ turn, chance }) => this.#dot(turn, chance)));
  }

  /**
   * @param {AnalysedTurn} turn
   * @param {number} chance
   */
  #dot(turn, chance) {
    const dot = h("span", { class: `review-dot ${turn.mark}` });
    dot.style.setProperty("--x", `${((turn.ply + 1) / this.#plies) * 100}%`);
    dot.style.setProperty("--y", `${(1 - chance) * 100}%`);
    return dot;
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const { left, width } = this.plot.getBoundingClientRect();
    this.wanted.emit(Math.round(((event.clientX - left) / width) * this.#plies));
  }
}
