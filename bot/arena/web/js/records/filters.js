/** The form with what games are searched for. */

import { h, replace } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { boardTitle } from "../shared/sentences.js";
import { Signal } from "../shared/signal.js";

/** @import { Catalogue } from "../shared/catalogue.js" */
/** @import { Filters } from "./requests.js" */

/** Years have four digits; browsers let a person type six. */
const LAST_DAY = "9999-12-30";
const OF_PLAYER = ["won", "lost", "drawn"];
const OF_SEATS = ["first", "second", "drawn"];

export class FilterForm {
  /** @type {Signal<Filters>} */
  changed = new Signal();
  /** @type {Filters} */
  #value = {};

  /**
   * @param {Catalogue} catalogue
   * @param {() => string | null} me the person's name
   */
  constructor(catalogue, me) {
    this.catalogue = catalogue;
    this.me = me;
    this.player = text("player");
    this.opponent = text("opponent");
    this.game = h("select", { name: "game" });
    this.board = h("select", { name: "board" });
    this.result = h("select", { name: "result" });
    this.rated = choice("rated", [
      ["", t("records.any")],
      ["true", t("records.rated")],
      ["false", t("records.unrated")],
    ]);
    this.since = h("input", { type: "date", name: "since", max: LAST_DAY });
    this.until = h("input", { type: "date", name: "until", max: LAST_DAY });
    this.mine = h(
      "button",
      { type: "button", class: "chip-button", onclick: () => this.#showMine() },
      t("records.mine"),
    );
    this.all = h(
      "button",
      { type: "button", class: "chip-button", onclick: () => this.#take({}) },
      t("records.all"),
    );
    this.element = h(
      "form",
      { class: "panel filters", "aria-label": t("records.filters") },
      h("div", { class: "filter-quick" }, this.mine, this.all),
      field(t("records.player"), this.player),
      field(t("records.opponent"), this.opponent),
      field(t("records.game"), this.game),
      field(t("records.board"), this.board),
      field(t("records.result"), this.result),
      field(t("records.rating"), this.rated),
      field(t("records.since"), this.since),
      field(t("records.until"), this.until),
      h(
        "div",
        { class: "filter-end" },
        h("button", { class: "primary" }, t("records.search")),
      ),
    );
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#read();
    });
    this.element.addEventListener("change", () => {
      if (this.element.reportValidity()) {
        this.#read();
      }
    });
  }

  /** Show what is searched for. @param {Filters} filters */
  show(filters) {
    this.#value = filters;
    this.player.value = filters.player ?? "";
    this.opponent.value = filters.opponent ?? "";
    this.opponent.disabled = !filters.player;
    this.opponent.placeholder = filters.player ? "" : t("records.player_first");
    this.#showChoices();
    this.game.value = filters.game ?? "";
    this.rated.value = filters.rated ?? "";
    this.since.value = filters.since ?? "";
    this.until.value = filters.until ?? "";
    const me = this.me();
    const isMine = me !== null && filters.player?.toLowerCase() === me.toLowerCase();
    this.mine.setAttribute("aria-pressed", String(isMine));
    this.all.setAttribute("aria-pressed", String(!filters.player));
    this.mine.disabled = me === null;
  }

  /** The games and boards of the arena, and the results for a player or for all. */
  #showChoices() {
    const { game, board, player, result } = this.#value;
    const { games } = this.catalogue.offers;
    const any = option("", t("records.any"));
    replace(this.game, any, games.map((each) => option(each.game, each.title)));
    const boards = new Set(games.find((each) => each.game === game)?.boards ?? []);
    board && boards.add(board);
    replace(
      this.board,
      boards.size === 0 ? option("", t("records.game_first")) : any.cloneNode(true),
      [...boards].map((name) => option(name, boardTitle(name))),
    );
    this.board.value = board ?? "";
    this.board.disabled = boards.size === 0;
    const results = player ? OF_PLAYER : OF_SEATS;
    replace(
      this.result,
      any.cloneNode(true),
      results.map((each) => option(each, t(`records.${each}`))),
    );
    this.result.value = result && results.includes(result) ? result : "";
  }

  #read() {
    const was = this.#value;
    const player = this.player.value.trim();
    const game = this.game.value;
    /** @type {Filters} */
    const filters = {
      player,
      opponent: player && this.opponent.value.trim(),
      game,
      board: game === (was.game ?? "") ? this.board.value : "",
      result: Boolean(player) === Boolean(was.player) ? this.result.value : "",
      rated: this.rated.value,
      since: this.since.value,
      until: this.until.value,
    };
    this.#take(filters);
  }

  #showMine() {
    const me = this.me();
    if (me !== null) {
      this.#take({ player: me });
    }
  }

  /** @param {Filters} filters */
  #take(filters) {
    this.show(filters);
    this.changed.emit(filters);
  }
}

/** @param {string} name */
function text(name) {
  return h("input", {
    type: "text",
    name,
    maxlength: 24,
    autocomplete: "off",
    spellcheck: "false",
  });
}

/**
 * @param {string} value
 * @param {string} label
 */
function option(value, label) {
  return h("option", { value }, label);
}

/**
 * @param {string} name
 * @param {[string, string][]} options
 */
function choice(name, options) {
  return h("select", { name }, options.map(([value, label]) => option(value, label)));
}

/**
 * @param {string} label
 * @param {HTMLElement} input
 */
function field(label, input) {
  return h("label", { class: "filter" }, h("span", {}, label), input);
}
