/** The choice of the next stone's colour, in a game whose players own two. */

import { h, replace } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { capital, stoneColour } from "../shared/sentences.js";

/** @import { Seat } from "../shared/wire.d.ts" */
/** @import { TurnInput } from "./turn_input.js" */

const ARROWS = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"];

export class ColourChooser {
  /** @param {TurnInput} input */
  constructor(input) {
    this.input = input;
    this.element = h("div", {
      class: "colours",
      role: "radiogroup",
      "aria-label": t("game.colour_of_next"),
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.#press(event),
    });
  }

  /** @param {Seat | null} seat the person's */
  update(seat) {
    const { phase, draft } = this.input;
    this.element.hidden = seat === null || phase !== "choosing" || draft.kinds < 2;
    if (seat !== null && !this.element.hidden) {
      const all = Array.from({ length: draft.kinds }, (_, index) => index + 1);
      replace(this.element, ...all.map((kind) => this.#colour(seat, kind)));
    }
  }

  /**
   * @param {Seat} seat
   * @param {number} kind
   */
  #colour(seat, kind) {
    const chosen = this.input.draft.kind === kind;
    return h(
      "button",
      {
        type: "button",
        class: "colour",
        role: "radio",
        "aria-checked": String(chosen),
        tabindex: chosen ? 0 : -1,
        "data-key": `colour-${kind}`,
        onclick: () => this.input.chooseKind(kind),
      },
      h("span", { class: `swatch seat-${seat} kind-${kind}`, "aria-hidden": "true" }),
      capital(stoneColour(seat, kind)),
      h("kbd", { "aria-hidden": "true" }, kind),
    );
  }

  /**
   * Arrow keys move inside the radio group, and must not also step through the turns.
   * @param {KeyboardEvent} event
   */
  #press(event) {
    if (ARROWS.includes(event.key)) {
      const buttons = [...this.element.querySelectorAll("button")];
      const next = buttons.findIndex((each) => each !== document.activeElement);
      event.preventDefault();
      event.stopPropagation();
      buttons[next]?.focus();
      this.input.chooseKind(next + 1);
    }
  }
}
