/** The bar below the board: whose turn it is, why something is illegal, and the turn's buttons. */

import { ColourChooser } from "./colour_chooser.js";
import { h, replace } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { sideTitle } from "../shared/sentences.js";

/** @import { TurnInput } from "./turn_input.js" */
/** @import { PositionView } from "../shared/wire.d.ts" */

export class PlayBar {
  /**
   * @param {TurnInput} input
   * @param {object} [options]
   * @param {() => boolean} [options.asks] whether a turn that is played sends a request
   * @param {(position: PositionView) => string} [options.words] what to do in a position that goes on
   */
  constructor(input, { asks = () => true, words = sideToPlay(input) } = {}) {
    this.input = input;
    this.asks = asks;
    this.words = words;
    this.prompt = h("p", { class: "prompt", "aria-live": "polite" });
    this.complaint = h("p", { class: "complaint", role: "status", "aria-live": "assertive" });
    this.colours = new ColourChooser(input);
    this.buttons = h("div", { class: "buttons" });
    this.element = h(
      "section",
      { class: "turn-bar mine", "aria-label": t("game.free.play") },
      h("div", { class: "turn-words" }, this.prompt, this.complaint),
      this.colours.element,
      this.buttons,
    );
  }

  /**
   * @param {PositionView | null} position
   * @param {string} problem why there is none
   */
  update(position, problem) {
    const { input } = this;
    const { complaint } = input;
    const words = problem || (complaint?.message ?? "");
    if (this.complaint.textContent !== words) {
      this.complaint.textContent = words;
    }
    const prompt = position ? this.#prompt(position) : "";
    if (this.prompt.textContent !== prompt) {
      this.prompt.textContent = prompt;
    }
    this.element.dataset["phase"] = input.phase;
    this.colours.update(position && !position.over ? position.to_play : null);
    replace(this.buttons, ...this.#choices());
  }

  /** @param {PositionView} position */
  #prompt(position) {
    const { over, winner } = position;
    const { kinds } = this.input.draft;
    if (!over) {
      return this.words(position);
    }
    return winner === null
      ? t("game.free.drawn")
      : t("game.free.won", { side: sideTitle(winner, kinds) });
  }

  #choices() {
    const { input } = this;
    const isChoosing = input.phase === "choosing";
    const request = { "data-needs-connection": this.asks() };
    if (input.phase === "confirming") {
      const primary = { ...request, class: "primary" };
      return [
        input.canSwap && button(t("game.free.swap"), () => input.swapKinds(), "swap"),
        button(t("game.take_back"), () => input.undo(), "undo"),
        button(t("game.send"), () => input.send(), "send", primary),
      ];
    }
    return [
      input.canSwap && button(t("game.free.swap"), () => input.swapKinds(), "swap"),
      isChoosing && input.draft.stones.length > 0 &&
      button(t("game.free.undo"), () => input.undo(), "undo"),
      input.canStop &&
      button(t("game.free.one_stone"), () => input.send(), "stop", request),
      input.mayPass &&
      button(t("game.free.pass"), () => input.pass(input.ply), "pass", request),
    ];
  }
}

/**
 * @param {TurnInput} input
 * @returns {(position: PositionView) => string}
 */
function sideToPlay({ draft }) {
  return ({ to_play: side }) => t("game.free.to_play", { side: sideTitle(side, draft.kinds) });
}

/**
 * @param {string} label
 * @param {() => void} press
 * @param {string} key
 * @param {Record<string, unknown>} [more] attributes
 */
function button(label, press, key, more = {}) {
  return h("button", { type: "button", "data-key": key, onclick: press, ...more }, label);
}
