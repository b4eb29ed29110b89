/** The bots' opinion of a game: a bar, a graph over the turns, and the line they expect. */

import { h, replace } from "../shared/dom.js";
import { moverOf } from "../shared/games.js";
import { nodes, t } from "../shared/messages.js";
import { percent, sideTitle } from "../shared/sentences.js";
import { Signal } from "../shared/signal.js";
import { opinionAt, opinions } from "./evaluation.js";
import { EvaluationGraph } from "./evaluation_graph.js";
import { firstPlayersChance } from "./review.js";
import { ReviewGraph } from "./review_graph.js";
import { turnParts } from "./turn_parts.js";

/** @import { GameState } from "../shared/wire.d.ts" */
/** @import { Imagined, Opinion } from "./evaluation.js" */
/** @import { Review } from "./review.js" */

export class EvaluationView {
  /** @type {Signal<Imagined | null>} an expected line to show on the board */
  imagined = new Signal();
  /** How many kinds of stones a player owns. */
  kinds = 1;
  /** The analysis of the game. @type {Review | null} */
  review = null;
  #line = "";

  constructor() {
    this.summary = h("div", { class: "evaluation-summary" });
    this.bar = h("div", { class: "evaluation-bar" }, h("div", { class: "evaluation-black" }));
    this.graph = new EvaluationGraph();
    this.wanted = this.graph.wanted;
    this.reviewGraph = new ReviewGraph();
    this.reviewGraph.wanted.on((ply) => this.wanted.emit(ply));
    this.line = h("div", { class: "evaluation-line" });
    this.element = h(
      "section",
      { class: "panel evaluation", "aria-label": t("game.evaluation.title") },
      h("h2", {}, t("game.evaluation.title")),
      this.summary,
      this.bar,
      this.graph.element,
      this.reviewGraph.element,
      this.line,
    );
  }

  /**
   * @param {GameState} game
   * @param {number} ply the shown ply
   * @param {boolean} wanted whether the person sees the evaluation
   */
  update(game, ply, wanted) {
    const all = wanted ? opinions(game.turns) : [];
    const isBetweenPeople = game.players.every((player) => player.kind !== "bot");
    const explains = wanted && isBetweenPeople && game.state === "finished";
    this.element.hidden = all.length === 0 && !explains;
    this.element.classList.toggle("absent-evaluation", all.length === 0);
    const opinion = opinionAt(all, ply);
    replace(
      this.summary,
      ...(all.length ? this.#summary(game, opinion) : [t("game.evaluation.no_bot")]),
    );
    this.bar.classList.toggle("unknown", opinion === null);
    const black = opinion?.black ?? 0.5;
    this.bar.style.setProperty("--black", `${(black * 100).toFixed(1)}%`);
    this.graph.update(game, all, ply, this.kinds);
    this.#showReview(game, ply);
    // A chip must not be replaced while a person points at it.
    const line = JSON.stringify(opinion);
    if (line !== this.#line) {
      this.#line = line;
      replace(this.line, ...this.#expected(opinion));
    }
  }

  /**
   * In place of the bots' curves, show that of the analysis.
   * @param {GameState} game
   * @param {number} ply
   */
  #showReview(game, ply) {
    const analysis = this.review?.isDone ? this.review.analysis : null;
    this.reviewGraph.element.hidden = !analysis;
    this.graph.element.hidden = analysis !== null;
    if (analysis) {
      this.reviewGraph.update(analysis, game.turns.length, ply);
      this.element.hidden = false;
      this.element.classList.remove("absent-evaluation");
      if (opinions(game.turns).length === 0) {
        const turn = this.review?.turn(ply - 1);
        const chance = turn ? firstPlayersChance(turn) : null;
        replace(this.summary);
        this.bar.classList.toggle("unknown", chance === null);
        this.bar.style.setProperty("--black", `${((chance ?? 0.5) * 100).toFixed(1)}%`);
      }
    }
  }

  /** @param {Opinion | null} opinion */
  #expected(opinion) {
    if (!opinion || opinion.line.length === 0) {
      return [];
    }
    const chips = opinion.line.slice(0, 6).map((turn, index) => {
      const line = opinion.line.slice(0, index + 1);
      const show = () => this.imagined.emit({ line, ply: opinion.ply });
      const hide = () => this.imagined.emit(null);
      return h(
        "button",
        {
          type: "button",
          class: "turn-chip",
          "data-key": `line-${index}`,
          onpointerenter: show,
          onpointerleave: hide,
          onfocus: show,
          onblur: hide,
          onclick: show,
        },
        turnParts(turn, moverOf(opinion.ply + index), this.kinds),
      );
    });
    return [h("span", { class: "label" }, t("game.evaluation.expects")), ...chips];
  }

  /**
   * @param {GameState} game
   * @param {Opinion | null} opinion
   */
  #summary(game, opinion) {
    if (!opinion) {
      return [h("span", { class: "quiet" }, t("game.evaluation.none"))];
    }
    const leader = opinion.black >= 0.5 ? 1 : 2;
    const chance = leader === 1 ? opinion.black : 1 - opinion.black;
    return nodes("game.evaluation.estimate", {
      name: game.players[opinion.seat - 1]?.name,
      side: sideTitle(leader, this.kinds),
      chance: h("strong", {}, percent(chance)),
    });
  }
}
