/** The first player's chance over an analysed game as a curve, with dots for marked turns. */

import { h, replace } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { ChanceGraph } from "./chance_graph.js";
import { firstPlayersChance } from "./review.js";

/** @import { AnalysedTurn, GameAnalysis } from "../shared/wire.d.ts" */

export class ReviewGraph {
  constructor() {
    this.plot = new ChanceGraph(t("game.review_graph"));
    this.wanted = this.plot.wanted;
    this.dots = h("div", { class: "review-dots", "aria-hidden": "true" });
    this.element = h(
      "div",
      { class: "evaluation-graph review-graph" },
      this.plot.axis,
      h("div", { class: "review-plot" }, this.plot.element, this.dots),
    );
  }

  /**
   * @param {GameAnalysis} analysis
   * @param {number} plies of the game
   * @param {number} ply the shown ply
   */
  update({ turns }, plies, ply) {
    const known = turns.flatMap((turn) => {
      const chance = firstPlayersChance(turn);
      return chance === null ? [] : [{ turn, chance }];
    });
    const points = known.map(({ turn, chance }) => ({ ply: turn.ply + 1, chance }));
    this.plot.draw(plies, ply, [{ style: "curve", points }]);
    const marked = known.filter(({ turn }) => turn.mark !== null);
    replace(this.dots, marked.map(({ turn, chance }) => this.#dot(turn, chance)));
  }

  /**
   * @param {AnalysedTurn} turn
   * @param {number} chance
   */
  #dot(turn, chance) {
    const dot = h("span", { class: `review-dot ${turn.mark}` });
    dot.style.setProperty("--x", `${this.plot.along(turn.ply + 1) * 100}%`);
    dot.style.setProperty("--y", `${(1 - chance) * 100}%`);
    return dot;
  }
}
