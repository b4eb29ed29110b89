/** The turns of a game as a list. */

import { h, replace, setAttributes } from "../shared/dom.js";
import { moverOf, openingPlies } from "../shared/games.js";
import { locale, t } from "../shared/messages.js";
import { sideTitle } from "../shared/sentences.js";
import { Signal } from "../shared/signal.js";
import { SIGNS } from "./review.js";
import { ReplayControls } from "./replay_controls.js";
import { turnParts } from "./turn_parts.js";

/** @import { GameState, PlayedTurn } from "../shared/wire.d.ts" */
/** @import { Review } from "./review.js" */

const tenths = new Intl.NumberFormat(locale, {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});

export class TurnsView {
  /** @type {Signal<number>} a ply to look at */
  wanted = new Signal();
  /** How many kinds of stones a player owns. */
  kinds = 1;
  /** The analysis of the game, which marks turns. @type {Review | null} */
  review = null;
  #reviewed = 0;
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
      { class: "panel turns-panel", "aria-label": t("game.turns.title") },
      h("h2", {}, t("game.turns.title")),
      this.list,
      this.controls.element,
    );
  }

  /**
   * @param {GameState} game
   * @param {number} ply the shown ply
   */
  update(game, ply) {
    const reviewed = this.review?.analysis?.turns.length ?? 0;
    const grown = game.turns.length !== this.#plies || reviewed !== this.#reviewed;
    this.#reviewed = reviewed;
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
      return [h("li", { class: "quiet" }, t("game.turns.none"))];
    }
    const given = openingPlies(game);
    const words = t("game.turns.opening", { n: given });
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
    const seconds = isGiven
      ? t("game.turns.in_opening")
      : t("common.seconds", { n: tenths.format(time / 1000) });
    const clears = captured.length ? t("game.turns.captured", { n: captured.length }) : null;
    const mark = this.review?.turn(index)?.mark ?? null;
    return h(
      "button",
      {
        type: "button",
        class: `${isGiven ? "turn given" : "turn"} ${mark ?? ""}`.trim(),
        "data-key": `turn-${index}`,
        "data-ply": index + 1,
        title: [sideTitle(mover, this.kinds), seconds, clears].filter(Boolean).join(", "),
        onclick: () => this.wanted.emit(index + 1),
      },
      turnParts(turn, mover, this.kinds),
      mark && h("span", { class: "sign" }, SIGNS[mark]),
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
      // Not now: sizes that are read while the page is being drawn cost a layout of the whole board.
      requestAnimationFrame(() => scrollInside(this.list, current));
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
