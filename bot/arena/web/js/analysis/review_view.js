/** The panel of a game's analysis: its button, its progress, its graph, and both players' marks. */

import { ReviewGraph } from "../game/review_graph.js";
import { h, replace } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { sideTitle } from "../shared/sentences.js";
import { Signal } from "../shared/signal.js";

/** @import { Review } from "../game/review.js" */
/** @import { GameState, Seat } from "../shared/wire.d.ts" */

/** @type {Seat[]} */
const SEATS = [1, 2];
const MARKS = /** @type {const} */ (["blunder", "mistake", "inaccuracy"]);

export class ReviewView {
  /** @type {Signal<void>} */
  started = new Signal();
  /** @type {Signal<Seat>} whose mistakes to learn from */
  learn = new Signal();
  kinds = 1;

  constructor() {
    this.graph = new ReviewGraph();
    this.wanted = this.graph.wanted;
    this.words = h("p", { class: "review-words", "aria-live": "polite" });
    this.progress = h("progress", { "aria-label": t("analysis.progress") });
    this.buttons = h("div", { class: "buttons" });
    this.counts = h("div", { class: "review-counts" });
    this.element = h(
      "section",
      { class: "panel review-panel", "aria-label": t("analysis.review"), hidden: true },
      h("h2", {}, t("analysis.review")),
      this.words,
      this.progress,
      this.graph.element,
      this.counts,
      this.buttons,
    );
  }

  /**
   * @param {Review} review
   * @param {GameState} game
   * @param {number} ply the shown ply of the game
   * @param {Seat | null} seat the person's
   * @param {boolean} isOnline whether an analysis needs the server
   */
  update(review, game, ply, seat, isOnline) {
    const { analysis, problem } = review;
    const state = analysis?.state ?? "none";
    const isRunning = state === "queued" || state === "running";
    this.element.hidden = game.turns.length === 0;
    const turns = analysis?.turns ?? [];
    // Turns and not positions: the searches find further positions to search.
    this.words.textContent = problem || this.#words(state, turns.length, game.turns.length);
    this.progress.hidden = !isRunning;
    this.progress.max = game.turns.length || 1;
    this.progress.value = turns.length;
    this.graph.element.hidden = turns.length === 0;
    analysis && this.graph.update(analysis, game.turns.length, ply);
    this.counts.hidden = turns.length === 0;
    replace(this.counts, ...SEATS.map((each) => this.#counts(review, game, each, isRunning)));
    replace(this.buttons, ...this.#choices(review, state, seat, isOnline));
  }

  /**
   * @param {string} state
   * @param {number} done
   * @param {number} total
   */
  #words(state, done, total) {
    if (state === "queued" || state === "running") {
      return t("analysis.reviewing", { done, total });
    }
    return state === "none" ? t("analysis.not_reviewed") : "";
  }

  /**
   * @param {Review} review
   * @param {GameState} game
   * @param {Seat} seat
   * @param {boolean} isRunning whether more may be found: then nothing is called absent
   */
  #counts(review, game, seat, isRunning) {
    const marked = review.mistakes(seat);
    const figures = MARKS.map((mark) => {
      const n = marked.filter((turn) => turn.mark === mark).length;
      const words = t(`analysis.${mark}_count`, { n });
      return (n > 0 || !isRunning) && h("span", { class: `count ${mark}` }, words);
    });
    return h(
      "div",
      { class: "review-player" },
      h("span", { class: `dot seat-${seat}`, "aria-hidden": "true" }),
      h("strong", {}, game.players[seat - 1]?.name),
      figures,
    );
  }

  /**
   * @param {Review} review
   * @param {string} state
   * @param {Seat | null} seat
   * @param {boolean} isOnline
   */
  #choices(review, state, seat, isOnline) {
    if (state === "none" || state === "failed") {
      const start = () => this.started.emit();
      const label = t("analysis.start_review");
      return [
        h("button", {
          type: "button",
          class: "primary",
          "data-key": "review",
          ...(isOnline ? { "data-needs-connection": true } : {}),
          onclick: start,
        }, label),
      ];
    }
    if (state !== "done") {
      return [];
    }
    const seats = seat === null ? SEATS : [seat];
    return seats.filter((each) => review.mistakes(each).length > 0).map((each) => {
      const side = sideTitle(each, this.kinds);
      const label = each === seat ? t("analysis.learn") : t("analysis.learn_of", { side });
      const press = () => this.learn.emit(each);
      return h("button", {
        type: "button",
        class: each === seat ? "primary" : "",
        "data-key": `learn-${each}`,
        onclick: press,
      }, label);
    });
  }
}
