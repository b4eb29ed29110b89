/** The buttons that step through the turns of a game: below the list, on phones below the board. */

import { h, svg } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { Signal } from "../shared/signal.js";

export class ReplayControls {
  /** @type {Signal<number>} a ply to look at */
  wanted = new Signal();
  #ply = 0;
  #plies = 0;

  /** @param {HTMLElement} list the list of turns; the controls follow it */
  constructor(list) {
    this.list = list;
    this.note = h("span", { class: "replay-note", "aria-live": "polite" });
    this.middle = h("div", { class: "replay-middle" }, this.note);
    this.buttons = {
      first: this.#button(t("game.replay.first"), "M18 6l-8 6 8 6zM7 6v12", () => 0),
      previous: this.#button(t("game.replay.previous"), "M16 6l-8 6 8 6z", () => this.#ply - 1),
      next: this.#button(t("game.replay.next"), "M8 6l8 6-8 6z", () => this.#ply + 1),
      last: this.#button(t("game.replay.last"), "M6 6l8 6-8 6zM17 6v12", () => this.#plies),
    };
    const { first, previous, next, last } = this.buttons;
    this.element = h("div", { class: "replay" }, first, previous, this.middle, next, last);
  }

  /**
   * Put the controls below the board on narrow pages, else below the list.
   * @param {boolean} narrow whether the page has one column
   * @param {HTMLElement} board
   * @param {HTMLElement} tip the line under the board
   */
  place(narrow, board, tip) {
    if (narrow) {
      board.after(this.element);
      this.middle.append(tip);
    } else {
      this.list.after(this.element);
      board.after(tip);
    }
  }

  /**
   * @param {number} ply the shown ply
   * @param {number} plies how many there are
   */
  update(ply, plies) {
    this.#ply = ply;
    this.#plies = plies;
    const words = ply === plies ? "" : `${ply} / ${plies}`;
    if (this.note.textContent !== words) {
      this.note.textContent = words;
    }
    const { first, previous, next, last } = this.buttons;
    first.toggleAttribute("disabled", ply === 0);
    previous.toggleAttribute("disabled", ply === 0);
    next.toggleAttribute("disabled", ply === plies);
    last.toggleAttribute("disabled", ply === plies);
  }

  /**
   * @param {string} label
   * @param {string} shape the path of its picture
   * @param {() => number} target
   */
  #button(label, shape, target) {
    const press = () => this.wanted.emit(target());
    return h(
      "button",
      { type: "button", class: "icon", "aria-label": label, title: label, onclick: press },
      svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: shape })),
    );
  }
}
