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
  #ply = 0;
  /** What the list begins with. */
  #start = "";
  /** The turns in the list: `what` each shows, to change only what differs. @type {{what: string, button: HTMLElement}[]} */
  #shown = [];
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
    this.#ply = ply;
    const isChanged = this.#show(game);
    this.#markCurrent(isChanged);
    this.controls.update(ply, game.turns.length);
  }

  /**
   * Add, change and remove turns where the game has others than the list: a long list that is made
   * again with each turn costs more than everything else that the turn changes.
   * @param {GameState} game
   * @returns {boolean} whether anything has changed
   */
  #show(game) {
    const { turns } = game;
    const given = openingPlies(game);
    const start = `${given} ${turns.length === 0}`;
    let isChanged = start !== this.#start;
    if (isChanged) {
      this.#start = start;
      this.#shown = [];
      replace(this.list, beginning(given, turns.length === 0));
    }
    for (const { button } of this.#shown.splice(turns.length)) {
      (button.previousElementSibling?.matches(".turn") ? button : button.parentElement)?.remove();
      isChanged = true;
    }
    turns.forEach((played, index) => {
      const shown = this.#shown[index] ??= { what: "", button: this.#add(index) };
      const mark = this.review?.turn(index)?.mark ?? null;
      const what = [played.turn, played.captured.length, played.time_ms, mark].join(" ");
      if (what !== shown.what) {
        shown.what = what;
        this.#describe(shown.button, played, index, index < given, mark);
        isChanged = true;
      }
    });
    return isChanged;
  }

  /**
   * Add the button of a turn, in the row of its pair.
   * @param {number} index of the turn
   */
  #add(index) {
    const button = h("button", {
      type: "button",
      "data-key": `turn-${index}`,
      "data-ply": index + 1,
      onclick: () => this.wanted.emit(index + 1),
    });
    if (index % 2 === 0) {
      this.list.append(h("li", {}, h("span", { class: "number" }, index / 2 + 1), button));
    } else {
      this.list.lastElementChild?.append(button);
    }
    return button;
  }

  /**
   * @param {HTMLElement} button
   * @param {PlayedTurn} played
   * @param {number} index of the turn
   * @param {boolean} isGiven whether it belongs to the opening
   * @param {keyof typeof SIGNS | null} mark of the analysis
   */
  #describe(button, { turn, captured, time_ms: time }, index, isGiven, mark) {
    const mover = moverOf(index);
    const seconds = isGiven
      ? t("game.turns.in_opening")
      : t("common.seconds", { n: tenths.format(time / 1000) });
    const clears = captured.length ? t("game.turns.captured", { n: captured.length }) : null;
    setAttributes(button, {
      class: `${isGiven ? "turn given" : "turn"} ${mark ?? ""}`.trim(),
      title: [sideTitle(mover, this.kinds), seconds, clears].filter(Boolean).join(", "),
    });
    replace(
      button,
      turnParts(turn, mover, this.kinds),
      mark && h("span", { class: "sign" }, SIGNS[mark]),
      captured.length > 0 && h("span", { class: "captures" }, `×${captured.length}`),
    );
  }

  /** @param {boolean} isChanged whether the list has other turns than before */
  #markCurrent(isChanged) {
    for (const { button } of this.#shown) {
      const current = button.dataset["ply"] === String(this.#ply);
      // One stop for the Tab key: arrow keys step through the turns.
      const stop = current || (this.#ply === 0 && button.dataset["ply"] === "1");
      setAttributes(button, { "aria-current": current ? "true" : null, tabindex: stop ? 0 : -1 });
      if (current && this.list.contains(document.activeElement)) {
        button.focus({ preventScroll: true });
      }
    }
    if (isChanged || this.#scrolledTo !== this.#ply) {
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
 * What comes before the turns.
 * @param {number} given the number of turns in the opening
 * @param {boolean} isEmpty whether there are no turns
 */
function beginning(given, isEmpty) {
  if (isEmpty) {
    return h("li", { class: "quiet" }, t("game.turns.none"));
  }
  const words = t("game.turns.opening", { n: given });
  return given > 0 ? h("li", { class: "quiet" }, words) : null;
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
