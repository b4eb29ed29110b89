/** The first player's chance to win over the turns of a game: a curve for each bot that reports it. */

import { h, replace, svg } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { sideTitle } from "../shared/sentences.js";
import { ChanceGraph } from "./chance_graph.js";

/** @import { GameState } from "../shared/wire.d.ts" */
/** @import { Opinion } from "./evaluation.js" */

export class EvaluationGraph {
  constructor() {
    this.plot = new ChanceGraph(t("game.evaluation.graph"));
    this.wanted = this.plot.wanted;
    this.legend = h("figcaption", { class: "evaluation-legend" });
    this.element = h(
      "figure",
      { class: "evaluation-graph" },
      this.plot.axis,
      this.plot.element,
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
    const seats = [...new Set(all.map((opinion) => opinion.seat))].sort();
    const curves = seats.map((seat, index) => {
      const said = all.filter((opinion) => opinion.seat === seat);
      const points = said.map(({ ply, black }) => ({ ply, chance: black }));
      return { style: curveClass(index), points };
    });
    this.plot.draw(game.turns.length, ply, curves);
    const names = seats.map((seat, index) =>
      h("span", { class: "evaluation-name" }, sample(index), game.players[seat - 1]?.name)
    );
    const words = t("game.evaluation.legend", { side: sideTitle(1, kinds) });
    replace(this.legend, `${words} `, ...names);
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
