/** The bots' opinion of a game: a bar, a graph over the turns, and the line they expect. */

import { h, replace } from "../shared/dom.js";
import { moverOf } from "../shared/games.js";
import { nodes, t } from "../shared/messages.js";
import { percent, resultTitle, sideTitle } from "../shared/sentences.js";
import { Signal } from "../shared/signal.js";
import { opinionAt, opinions } from "./evaluation.js";
import { EvaluationGraph } from "./evaluation_graph.js";
import { firstPlayersChance } from "./review.js";
import { ReviewGraph } from "./review_graph.js";
import { turnParts } from "./turn_parts.js";

/** @import { Child } from "../shared/dom.js" */
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
    const { words, black } = this.#known(game, all, ply);
    replace(this.summary, ...words);
    this.bar.classList.toggle("unknown", black === null);
    this.bar.style.setProperty("--black", (black ?? 0.5).toFixed(3));
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
   * What is known of a position: a bot's estimate, the result, the analysis, or the estimate of the
   * position before, which the bar does not show.
   * @param {GameState} game
   * @param {Opinion[]} all
   * @param {number} ply
   * @returns {{words: Child[], black: number | null}}
   */
  #known(game, all, ply) {
    const opinion = opinionAt(all, ply);
    if (opinion) {
      return { words: this.#estimate("estimate", game, opinion), black: opinion.black };
    }
    if (game.result && ply === game.turns.length && (all.length > 0 || this.review?.isDone)) {
      const { winner } = game.result;
      const result = resultTitle(game.result, game.players.map(({ name }) => name));
      const words = [t("game.evaluation.over", { result })];
      return { words, black: winner === null ? null : winner === 1 ? 1 : 0 };
    }
    const turn = this.review?.isDone ? this.review.turn(ply - 1) : null;
    const black = turn ? firstPlayersChance(turn) : null;
    if (black !== null) {
      return { words: nodes("game.evaluation.analysis", this.#leader(black)), black };
    }
    const before = opinionAt(all, ply - 1);
    if (before) {
      return { words: this.#estimate("before", game, before), black: null };
    }
    const none = all.length > 0 || this.review?.isDone ? "none" : "no_bot";
    return {
      words: [h("span", { class: "quiet" }, t(`game.evaluation.${none}`))],
      black: null,
    };
  }

  /**
   * @param {"estimate" | "before"} kind
   * @param {GameState} game
   * @param {Opinion} opinion
   */
  #estimate(kind, game, { seat, black }) {
    const name = game.players[seat - 1]?.name;
    return nodes(`game.evaluation.${kind}`, { name, ...this.#leader(black) });
  }

  /** @param {number} black Black's chance */
  #leader(black) {
    const leader = black >= 0.5 ? 1 : 2;
    const chance = leader === 1 ? black : 1 - black;
    return { side: sideTitle(leader, this.kinds), chance: h("strong", {}, percent(chance)) };
  }
}
