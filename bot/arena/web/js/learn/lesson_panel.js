/** What stands beside the board of a lesson: the text of a step, the answer, and the buttons. */

import { h, replace } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { capital, stoneColour } from "../shared/sentences.js";

/** @import { Child } from "../shared/dom.js" */
/** @import { Seat } from "../shared/wire.d.ts" */

/**
 * What of a step the buttons depend on.
 * @typedef {object} Stage
 * @property {boolean} isFirst
 * @property {boolean} isLast
 * @property {boolean} isTask whether there is something to solve
 * @property {boolean} isDone
 * @property {boolean} isWrong whether the last answer was wrong
 */

const KINDS = [1, 2];

export class LessonPanel {
  heading = h("h1", {});
  words = h("div", { class: "lesson-words" });
  feedback = h("div", { class: "lesson-feedback", role: "status" });
  /** The answers of a question, or the colours of the next stone. */
  task = h("div", { class: "lesson-task" });
  colours = h("div", {
    class: "colours",
    role: "radiogroup",
    "aria-label": t("learn.colour"),
    onkeydown: (/** @type {KeyboardEvent} */ event) => this.#pressColours(event),
  });

  /**
   * @param {{id: string, name: string}} game
   * @param {Element} bar the way through the steps
   * @param {{back: () => void, show: () => void, next: () => void}} press
   */
  constructor(game, bar, press) {
    this.back = h("button", { type: "button", onclick: press.back }, t("learn.back"));
    this.show = h(
      "button",
      { type: "button", class: "quiet-button", onclick: press.show },
      t("learn.show"),
    );
    this.next = h("button", { type: "button", class: "next", onclick: press.next });
    const rules = { class: "to-rules", href: `/rules/${game.id}`, "data-link": true };
    this.element = h(
      "section",
      { class: "panel lesson-panel", "aria-label": t("learn.lesson_title", { game: game.name }) },
      h(
        "div",
        { class: "lesson-head" },
        h("a", { href: "/learn", "data-link": true }, t("learn.learn")),
        h("span", { "aria-hidden": "true" }, "›"),
        h("span", {}, game.name),
        h("a", rules, t("learn.rules")),
      ),
      bar,
      h("div", { class: "lesson-text" }, this.heading, this.words, this.feedback, this.task),
      h("div", { class: "lesson-buttons" }, this.back, this.show, this.next),
    );
  }

  /**
   * @param {string} title
   * @param {string} text paragraphs, with line ends between them
   * @param {Child[]} task
   */
  showStep(title, text, task) {
    this.heading.textContent = title;
    replace(this.words, text.split("\n").map((line) => h("p", {}, line)));
    replace(this.task, task.length ? task : this.colours);
  }

  /**
   * @param {string} kind the kind of the answer, for its colour
   * @param {string} words
   */
  showFeedback(kind, words) {
    this.feedback.dataset["kind"] = words ? kind : "none";
    if (this.feedback.textContent !== words) {
      replace(this.feedback, words && h("p", {}, words));
    }
  }

  /**
   * The choice of the next stone's colour.
   * @param {Seat} seat
   * @param {number} chosen
   * @param {((kind: number) => void) | null} choose null if there is no choice
   */
  showColours(seat, chosen, choose) {
    this.colours.hidden = choose === null;
    replace(
      this.colours,
      KINDS.map((kind) =>
        h(
          "button",
          {
            type: "button",
            class: "colour",
            role: "radio",
            "aria-checked": String(chosen === kind),
            tabindex: chosen === kind ? 0 : -1,
            "data-key": `colour-${kind}`,
            onclick: () => choose?.(kind),
          },
          h("span", { class: `swatch seat-${seat} kind-${kind}`, "aria-hidden": "true" }),
          capital(stoneColour(seat, kind)),
          h("kbd", { "aria-hidden": "true" }, kind),
        )
      ),
    );
  }

  /**
   * Arrow keys move inside the radio group, and must not also leave the step.
   * @param {KeyboardEvent} event
   */
  #pressColours(event) {
    if (event.key.startsWith("Arrow")) {
      const other = this.colours.querySelector('[aria-checked="false"]');
      event.preventDefault();
      event.stopPropagation();
      if (other instanceof HTMLElement) {
        other.focus();
        other.click();
      }
    }
  }

  /** @param {Stage} stage */
  showButtons({ isFirst, isLast, isTask, isDone, isWrong }) {
    const isOpen = isTask && !isDone;
    this.back.disabled = isFirst;
    this.show.hidden = !isOpen;
    this.next.hidden = isLast;
    this.next.classList.toggle("primary", !isOpen);
    const open = isWrong ? "learn.again_button" : "learn.skip";
    this.next.textContent = t(isOpen ? open : "learn.next");
  }
}
