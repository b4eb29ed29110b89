/** The opening explorer: which turns were played in a position, and how those games ended. */

import { fetchOpenings } from "../records/requests.js";
import { turnParts } from "../game/turn_parts.js";
import { messageOf } from "../shared/dialogs.js";
import { h, replace } from "../shared/dom.js";
import { moverOf } from "../shared/games.js";
import { t } from "../shared/messages.js";
import { Signal } from "../shared/signal.js";

/** @import { Openings, OpeningTurn, Played } from "../records/requests.js" */

/** The share of a bar from which its number fits into it. */
const WIDE = 0.16;
const MOST_ROWS = 12;

/** The texts of the area `openings` must be loaded before. */
export class OpeningsPanel {
  /** @type {Signal<string>} a turn was pressed */
  chosen = new Signal();
  /** @type {Signal<string | null>} the turn under the pointer or with the focus */
  pointed = new Signal();
  /** How many kinds of stones a player owns. */
  kinds = 1;
  /** @type {Map<string, Promise<Openings>>} */
  #known = new Map();
  #wanted = "";
  /** How many turns of a game are counted. */
  #most = Infinity;
  #isLong = false;

  constructor() {
    this.table = h("table", { class: "openings-table" });
    this.words = h("p", { class: "quiet", role: "status" });
    this.more = h(
      "button",
      { type: "button", class: "quiet-button" },
      t("openings.all_turns"),
    );
    this.more.hidden = true;
    this.element = h(
      "section",
      { class: "panel openings", "aria-label": t("openings.title") },
      h("h2", {}, t("openings.title")),
      this.table,
      this.words,
      this.more,
    );
    this.table.addEventListener("pointerleave", () => this.pointed.emit(null));
    this.table.addEventListener("focusout", () => this.pointed.emit(null));
  }

  /**
   * Show what was played after these turns.
   * @param {Played} played
   * @param {readonly string[]} turns
   */
  async show(played, turns) {
    const key = JSON.stringify([played, turns]);
    if (key === this.#wanted) {
      return;
    }
    this.#wanted = key;
    this.#isLong = false;
    if (turns.length >= this.#most) {
      this.#draw({ games: 0, turns: [], most_turns: this.#most }, turns.length);
      return;
    }
    this.element.setAttribute("aria-busy", "true");
    try {
      const asked = this.#known.get(key) ?? fetchOpenings(played, turns);
      this.#known.set(key, asked);
      const found = await asked;
      if (key === this.#wanted) {
        this.#draw(found, turns.length);
      }
    } catch (error) {
      this.#known.delete(key);
      if (key === this.#wanted) {
        this.#wanted = "";
        replace(this.table);
        this.#say(t("openings.failed", { why: messageOf(error) }));
      }
    } finally {
      this.element.removeAttribute("aria-busy");
    }
  }

  /**
   * @param {Openings} found
   * @param {number} ply
   */
  #draw({ games, turns, most_turns: most }, ply) {
    this.#most = most;
    const shown = this.#isLong ? turns : turns.slice(0, MOST_ROWS);
    this.more.hidden = shown.length === turns.length;
    this.more.onclick = () => {
      this.#isLong = true;
      this.#draw({ games, turns, most_turns: most }, ply);
    };
    const heads = ["turn", "games", "results"].map((name) =>
      h("th", { scope: "col" }, t(`openings.column_${name}`))
    );
    replace(
      this.table,
      turns.length > 0 && h("thead", {}, h("tr", {}, heads)),
      h("tbody", {}, shown.map((turn) => this.#row(turn, ply))),
    );
    if (turns.length > 0) {
      this.#say("");
    } else {
      this.#say(ply >= most ? t("openings.too_deep", { n: most }) : t("openings.not_played"));
    }
  }

  /**
   * @param {OpeningTurn} counted
   * @param {number} ply
   */
  #row({ turn, games, wins: [first, second], draws, latest }, ply) {
    const point = () => this.pointed.emit(turn);
    const play = h(
      "button",
      {
        type: "button",
        class: "quiet-button opening-turn",
        "data-key": `opening-${turn}`,
        onclick: () => this.chosen.emit(turn),
        onfocus: point,
      },
      turnParts(turn, moverOf(ply), this.kinds),
    );
    const words = t("openings.results", { first, draws, second });
    return h(
      "tr",
      { onpointerenter: point },
      h("th", { scope: "row" }, play),
      h(
        "td",
        { class: "number" },
        h("a", { href: `/game/${latest}`, "data-link": true, title: t("openings.latest") }, games),
      ),
      h(
        "td",
        {},
        h(
          "span",
          { class: "result-bar", role: "img", "aria-label": words, title: words },
          part("first", first, games),
          part("draws", draws, games),
          part("second", second, games),
        ),
      ),
    );
  }

  /** @param {string} words */
  #say(words) {
    this.words.textContent = words;
    this.words.hidden = words === "";
  }
}

/**
 * @param {string} style
 * @param {number} count
 * @param {number} all
 */
function part(style, count, all) {
  const share = count / all;
  const element = h(
    "span",
    { class: style },
    share >= WIDE ? `${Math.round(100 * share)} %` : "",
  );
  element.style.flexGrow = String(count);
  element.hidden = count === 0;
  return element;
}
