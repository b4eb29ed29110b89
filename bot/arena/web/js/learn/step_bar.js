/** The way through a lesson: a button for each step, marked if it is done. */

import { h, setAttributes } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { Signal } from "../shared/signal.js";

/** @import { Progress } from "../shared/lesson_progress.js" */

export class StepBar {
  /** @type {Signal<number>} a step was pressed */
  chosen = new Signal();

  /** @param {string[]} titles of the steps */
  constructor(titles) {
    this.titles = titles;
    this.buttons = titles.map((title, at) =>
      h("button", {
        type: "button",
        class: "step-mark",
        title,
        onclick: () => this.chosen.emit(at),
      })
    );
    this.element = h(
      "nav",
      { class: "step-bar", "aria-label": t("learn.steps") },
      h("ol", {}, this.buttons.map((button) => h("li", {}, button))),
    );
  }

  /**
   * @param {Progress} progress
   * @param {string[]} ids of the steps
   */
  update({ at, done }, ids) {
    this.buttons.forEach((button, number) => {
      const isDone = done.includes(ids[number] ?? "");
      const values = { n: number + 1, title: this.titles[number] ?? "" };
      button.classList.toggle("done", isDone);
      setAttributes(button, {
        "aria-label": t(isDone ? "learn.step_done" : "learn.step", values),
        "aria-current": number === at ? "step" : null,
      });
    });
  }
}
