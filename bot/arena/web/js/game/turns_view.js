/** The turns of a game as a list. */

import { h, replace, setAttributes } from "../shared/dom.js";
import { moverOf, openingPlies } from "../shared/games.js";
import { counted, sideTitle } from "../shared/sentences.js";
import { Signal } from "../shared/signal.js";
import { ReplayControls } from "./replay_controls.js";
import { turnParts } from "./turn_parts.js";

/** @import { GameState, PlayedTurn } from "../shared/wire.d.ts" */

export class TurnsView {
  /** @type {Signal<number>} a ply to look at */
  wanted = new Signal();
  /** How many kinds of stones a player owns. */
  kinds = 1;
  #ply = 0;
  #plies = 0;
  /** The ply that the list was scrolled to last. A person may scroll on from there. */
  #scrolledTo = -1;

  constructor() {
    this.list = h("ol", { class: "turns" });
    // The content above the list may grow; the selected turn must stay visible.
    new ResizeObserver(() => this.#scroll()).observe(this.list);
    this.controls = new ReplayControls(this.list);
    this.controls.wanted.on((ply) => this.wanted.emit(ply));
    this.element = h(
      "section",
      { class: "panel turns-panel", "aria-label": "Turns" },
      h("h2", {}, "Turns"),
      this.list,
      this.controls.element,
    );
  }

  /**
   * @param {GameState} game
   * @param {number} ply the shown ply
   */
  update(game, ply) {
    const grown = game.turns.length !== this.#plies;
    this.#ply = ply;
    this.#plies = game.turns.length;
    if (grown || this.list.childElementCount === 0) {
      replace(this.list, ...this.#rows(game));
    }
    this.#markCurrent(grown);
    this.controls.update(ply, this.#plies);
  }

  /** @param {GameState} game */
  #rows(game) {
    const { turns } = game;
    if (turns.length === 0) {
      return [h("li", { class: "quiet" }, "No turn has been played.")];
    }
    const given = openingPlies(game);
    const words = `The opening has ${counted(given, "turn")}.`;
    const rows = given > 0 ? [h("li", { class: "quiet" }, words)] : [];
    for (let ply = 0; ply < turns.length; ply += 2) {
      const pair = turns.slice(ply, ply + 2)
        .map((turn, index) => this.#turn(turn, ply + index, ply + index < given));
      rows.push(h("li", {}, h("span", { class: "number" }, ply / 2 + 1), pair));
    }
    return rows;
  }

  /**
   * @param {PlayedTurn} played
   * @param {number} index
   * @param {boolean} isGiven whether it belongs to the opening
   */
  #turn(played, index, isGiven) {
    const { turn, captured, time_ms: time } = played;
    const mover = moverOf(index);
    const seconds = isGiven ? "opening" : `${(time / 1000).toFixed(1)} s`;
    const clears = captured.length ? `, captured ${counted(captured.length, "stone")}` : "";
    return h(
      "button",
      {
        type: "button",
        class: isGiven ? "turn given" : "turn",
        "data-key": `turn-${index}`,
        "data-ply": index + 1,
        title: `${sideTitle(mover, this.kinds)}, ${seconds}${clears}`,
        onclick: () => this.wanted.emit(index + 1),
      },
      turnParts(turn, mover, this.kinds),
      captured.length > 0 && h("span", { class: "captures" }, `×${captured.length}`),
    );
  }

  /** @param {boolean} grown whether the list is new */
  #markCurrent(grown) {
    for (const button of this.list.querySelectorAll("button")) {
      const current = button.dataset["ply"] === String(this.#ply);
      // One stop for the Tab key: arrow keys step through the turns.
      const stop = current || (this.#ply === 0 && button.dataset["ply"] === "1");
      setAttributes(button, { "aria-current": current ? "true" : null, tabindex: stop ? 0 : -1 });
      if (current && this.list.contains(document.activeElement)) {
        button.focus({ preventScroll: true });
      }
    }
    if (grown || this.#scrolledTo !== this.#ply) {
      this.#scroll();
    }
  }

  #scroll() {
    this.#scrolledTo = this.#ply;
    const current = this.list.querySelector("[aria-current]") ?? this.list.firstElementChild;
    if (current instanceof HTMLElement) {
      scrollInside(this.list, current);
    }
  }
}

/**
 * Unlike scrollIntoView, this leaves the page itself where it is.
 * @param {HTMLElement} list
 * @param {HTMLElement} item
 */
function scrollInside(list, item) {
  const top = item.offsetTop - list.offsetTop;
  const bottom = top + item.offsetHeight;
  if (top < list.scrollTop) {
    list.scrollTop = top;
  } else if (bottom > list.scrollTop + list.clientHeight) {
    list.scrollTop = bottom - list.clientHeight;
  }
}
