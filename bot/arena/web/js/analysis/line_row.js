/**
 * A line of the engine's panel: a value and turns.
 *
 * An engine on this device reports several times a second. Most reports change only numbers, so a row
 * keeps its elements: new ones take a phone too long, and a person may point at them.
 */

import { turnParts } from "../game/turn_parts.js";
import { chanceOf } from "../shared/chances.js";
import { h } from "../shared/dom.js";
import { moverOf } from "../shared/games.js";
import { t } from "../shared/messages.js";
import { percent } from "../shared/sentences.js";

/** @import { Imagined } from "../game/evaluation.js" */
/** @import { Signal } from "../shared/signal.js" */
/** @import { AnalysisLine } from "../shared/wire.d.ts" */

const SHOWN_TURNS = 5;

/**
 * Who hears what a person does with a line.
 * @typedef {{ imagined: Signal<Imagined | null>, played: Signal<string[]>, kinds: number }} Panel
 */

export class LineRow {
  #index;
  #panel;
  /** What the chips show. @type {{ ply: number, kinds: number, turns: string[] }} */
  #drawn = { ply: -1, kinds: 0, turns: [] };
  /** @type {HTMLElement[]} */
  #chips = [];

  /**
   * @param {number} index
   * @param {Panel} panel
   */
  constructor(index, panel) {
    this.#index = index;
    this.#panel = panel;
    this.value = h("span", { class: "line-value" });
    this.count = h("small", { class: "quiet" });
    this.turns = h("span", {}, this.count);
    this.element = h("li", {}, this.value, this.turns);
  }

  /**
   * @param {AnalysisLine} line
   * @param {number} ply of the shown position
   * @param {boolean} isSure whether its value is one to rely on
   */
  update(line, ply, isSure) {
    const { visits, pv, turn } = line;
    const value = chanceOf(line);
    const count = visits === null ? "" : t("analysis.playouts", { n: visits });
    const isUnsure = !isSure && visits !== null;
    write(this.value, value === null ? "–" : percent(value));
    this.value.classList.toggle("unsure", isUnsure);
    this.value.title = count;
    this.count.hidden = !isUnsure;
    write(this.count, isUnsure ? `${count} ` : "");
    this.#drawTurns((pv.length ? pv : [turn]).slice(0, SHOWN_TURNS), ply);
  }

  /**
   * @param {string[]} turns
   * @param {number} ply
   */
  #drawTurns(turns, ply) {
    const { kinds } = this.#panel;
    const isSame = this.#drawn.ply === ply && this.#drawn.kinds === kinds;
    const changed = turns.findIndex((turn, number) => turn !== this.#drawn.turns[number]);
    const kept = !isSame ? 0 : changed < 0 ? turns.length : changed;
    this.#drawn = { ply, kinds, turns };
    const removed = this.#chips.splice(kept);
    const focused = removed.findIndex((chip) => chip === document.activeElement);
    removed.forEach((chip) => chip.remove());
    for (let number = kept; number < turns.length; number += 1) {
      this.#chips.push(this.#chip(turns.slice(0, number + 1), ply));
    }
    this.turns.append(...this.#chips.slice(kept));
    focused >= 0 && this.#chips[kept + focused]?.focus({ preventScroll: true });
  }

  /**
   * @param {string[]} turns until the one that is shown
   * @param {number} ply
   */
  #chip(turns, ply) {
    const { imagined, played, kinds } = this.#panel;
    const number = turns.length - 1;
    const show = () => imagined.emit({ line: turns, ply });
    const hide = () => imagined.emit(null);
    return h(
      "button",
      {
        type: "button",
        class: "turn-chip",
        "data-key": `line-${this.#index}-${number}`,
        title: t("analysis.play_line"),
        onpointerenter: show,
        onpointerleave: hide,
        onfocus: show,
        onblur: hide,
        onclick: () => played.emit(turns),
      },
      turnParts(turns[number] ?? "", moverOf(ply + number), kinds),
    );
  }
}

/**
 * Set the words of an element. Words that are written cost layout, also if they are the same.
 * @param {HTMLElement} element
 * @param {string} words
 */
export function write(element, words) {
  if (element.textContent !== words) {
    element.textContent = words;
  }
}
