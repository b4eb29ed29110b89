/** The panel of learning from mistakes: the task, the verdict, and what comes next. */

import { turnParts } from "../game/turn_parts.js";
import { h, replace } from "../shared/dom.js";
import { moverOf } from "../shared/games.js";
import { nodes, t } from "../shared/messages.js";
import { points, sideTitle } from "../shared/sentences.js";
import { Signal } from "../shared/signal.js";

/** @import { Child } from "../shared/dom.js" */
/** @import { AnalysedTurn } from "../shared/wire.d.ts" */
/** @import { Learning } from "./learn.js" */

/** How many turns of the engine's line are shown. */
const SHOWN_TURNS = 4;

export class LearnView {
  /** @type {Signal<"show" | "next" | "leave">} */
  pressed = new Signal();
  kinds = 1;

  constructor() {
    this.words = h("p", { class: "learn-task" });
    this.verdict = h("div", { class: "learn-verdict", role: "status", "aria-live": "polite" });
    this.buttons = h("div", { class: "buttons" });
    this.element = h(
      "section",
      { class: "panel learn-panel", "aria-label": t("analysis.learn"), hidden: true },
      h("h2", {}, t("analysis.learn")),
      this.words,
      this.verdict,
      this.buttons,
    );
  }

  /** @param {Learning | null} learning */
  update(learning) {
    this.element.hidden = learning === null;
    if (!learning) {
      return;
    }
    const { mistake } = learning;
    this.element.dataset["stage"] = learning.stage;
    replace(this.words, ...(mistake ? this.#task(learning, mistake) : []));
    replace(this.verdict, ...(mistake ? this.#verdict(learning, mistake) : [this.#end(learning)]));
    replace(this.buttons, ...this.#choices(learning));
  }

  /** @param {Learning} learning */
  #end({ solved, mistakes }) {
    return t("analysis.learn_end", { solved, n: mistakes.length });
  }

  /**
   * @param {Learning} learning
   * @param {AnalysedTurn} mistake
   */
  #task({ index, mistakes }, mistake) {
    const number = `${index + 1} / ${mistakes.length}`;
    return [
      h("span", { class: "learn-number" }, number),
      ...nodes("analysis.learn_task", {
        side: sideTitle(mistake.player, this.kinds),
        turn: this.#turn(mistake.turn, mistake),
        n: points(mistake.loss),
      }),
    ];
  }

  /**
   * @param {string} turn
   * @param {AnalysedTurn} mistake
   */
  #turn(turn, mistake) {
    return h("span", { class: "turn-name" }, turnParts(turn, mistake.player, this.kinds));
  }

  /**
   * @param {Learning} learning
   * @param {AnalysedTurn} mistake
   * @returns {Child[]}
   */
  #verdict({ stage, loss }, mistake) {
    switch (stage) {
      case "judging":
        return [t("analysis.judging")];
      case "same":
        return [t("analysis.same_turn")];
      case "wrong":
        return [t("analysis.wrong", { n: points(loss) })];
      case "unjudged":
        return [t("analysis.unjudged")];
      case "solved":
        return [t("analysis.solved"), ...this.#engineLine(mistake)];
      case "shown":
        return [
          ...nodes("analysis.solution", { turn: this.#turn(mistake.best, mistake) }),
          ...this.#engineLine(mistake),
        ];
      default:
        return [t("analysis.find_better")];
    }
  }

  /**
   * How the engine plays on, if the analysis has that.
   * @param {AnalysedTurn} mistake
   */
  #engineLine({ ply, lines }) {
    const turns = (lines[0]?.pv ?? []).slice(0, SHOWN_TURNS).map((turn, index) => {
      const parts = turnParts(turn, moverOf(ply + index), this.kinds);
      return h("span", { class: "turn-name" }, index > 0 && " → ", parts);
    });
    const line = h("span", {}, turns);
    return turns.length
      ? [h("p", { class: "learn-line" }, nodes("analysis.engine_line", { line }))]
      : [];
  }

  /** @param {Learning} learning */
  #choices({ mistake, isAnswered }) {
    const button = (
      /** @type {"show" | "next" | "leave"} */ action,
      /** @type {string} */ label,
      /** @type {string} */ style,
    ) =>
      h("button", {
        type: "button",
        class: style,
        "data-key": action,
        onclick: () => this.pressed.emit(action),
      }, label);
    return [
      mistake && !isAnswered && button("show", t("analysis.show_solution"), ""),
      mistake && isAnswered && button("next", t("analysis.next_mistake"), "primary"),
      button("leave", t("analysis.leave_learning"), "quiet-button"),
    ];
  }
}
