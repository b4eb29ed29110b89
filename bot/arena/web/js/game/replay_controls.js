/** The buttons that step through the turns of a game: below the list, on phones below the board. */

import { h, replace, setAttributes, svg } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { Signal } from "../shared/signal.js";

export class ReplayControls {
  /** @type {Signal<number>} a ply to look at */
  wanted = new Signal();
  /** @type {Signal<void>} play or pause was pressed */
  toggled = new Signal();
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
    this.play = h("button", {
      type: "button",
      class: "icon",
      hidden: true,
      "data-key": "play",
      onclick: () => this.toggled.emit(),
    });
    const { first, previous, next, last } = this.buttons;
    const buttons = [first, previous, this.middle, this.play, next, last];
    this.element = h("div", { class: "replay" }, buttons);
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
   * Show the button that plays the turns one after the other, or pauses.
   * @param {"none" | "paused" | "playing"} state
   */
  showPlay(state) {
    this.play.hidden = state === "none";
    if (this.play.dataset["state"] !== state) {
      this.play.dataset["state"] = state;
      const label = t(state === "playing" ? "game.replay.pause" : "game.replay.play");
      setAttributes(this.play, { "aria-label": label, title: label });
      replace(this.play, icon(state === "playing" ? "M9 6v12M15 6v12" : "M8 5l11 7-11 7z"));
    }
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
      icon(shape),
    );
  }
}

/** @param {string} shape the path of its picture */
function icon(shape) {
  return svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: shape }));
}
