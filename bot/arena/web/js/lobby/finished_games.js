/** Finished games: all that the lobby lists, or the person's own; earlier ones one page at a time. */

import { fetchFinished } from "../shared/api.js";
import { messageOf, notify } from "../shared/dialogs.js";
import { h, replace, setAttributes } from "../shared/dom.js";
import { seatOf } from "../shared/games.js";
import { t } from "../shared/messages.js";
import { chip } from "../shared/setup_fields.js";
import { load, save } from "../shared/storage.js";
import { gameRow } from "./rows.js";

/** @import { Session } from "../shared/session.js" */
/** @import { GameSummary } from "../shared/wire.d.ts" */

/** @typedef {"all" | "mine"} Whose */

const KEPT = "finished";
/** The lobby lists at most this many finished games; if it lists fewer, there are no earlier ones. */
const LOBBY_LISTS = 20;

/** The known games of one choice. */
class Known {
  /** @type {Map<string, GameSummary>} */
  games = new Map();
  /** Earlier games ended before this; null: there are none; undefined: not known. @type {string | null | undefined} */
  next = undefined;
  /** Whether earlier games have been loaded. */
  isLonger = false;
}

export class FinishedGames {
  #known = { all: new Known(), mine: new Known() };
  /** @type {string | null} */
  #player = null;
  #drawn = "";
  #isAsking = false;

  /** @param {Session} session */
  constructor(session) {
    this.session = session;
    /** @type {Whose} */
    this.whose = String(load(KEPT, "all")) === "mine" ? "mine" : "all";
    this.list = h("ul", { class: "rows" });
    this.words = h("p", { class: "quiet" });
    this.more = h(
      "button",
      { type: "button", class: "quiet-button", onclick: () => this.#load() },
      t("lobby.finished.earlier"),
    );
    this.search = h("a", { href: "/games", "data-link": true }, t("lobby.search_games"));
    const choices = h(
      "div",
      { class: "chips small", role: "radiogroup", "aria-label": t("lobby.finished.whose") },
      chip("whose", "all", t("lobby.finished.all"), this.whose),
      chip("whose", "mine", t("lobby.finished.mine"), this.whose),
    );
    choices.addEventListener("change", (event) => this.#choose(event.target));
    this.element = h(
      "section",
      { class: "panel finished", "aria-label": t("lobby.finished.title") },
      h("div", { class: "list-head" }, h("h2", {}, t("lobby.finished.title")), choices),
      this.list,
      this.words,
      h("div", { class: "finished-end" }, this.more, this.search),
    );
    this.update();
  }

  /** Take the games that the lobby lists, and draw. */
  update() {
    const { lobby, you } = this.session;
    if (you?.id !== this.#player) {
      this.#player = you?.id ?? null;
      this.#known.mine = new Known();
    }
    const listed = lobby?.games.filter(({ state }) => state === "finished") ?? [];
    this.#takeIn(listed);
    this.#draw();
    const { next } = this.#known[this.whose];
    if (lobby === null || next !== undefined) {
      return;
    }
    if (this.whose === "mine") {
      this.#load();
    } else if (listed.length >= LOBBY_LISTS) {
      this.#look();
    }
  }

  /** There are more games of the person than those that are known. */
  askAgain() {
    this.#known.mine = new Known();
    this.update();
  }

  /** @param {GameSummary[]} listed */
  #takeIn(listed) {
    const { all, mine } = this.#known;
    if (!all.isLonger) {
      const kept = new Set(listed.map((game) => game.game_id));
      const isDropped = listed.length > 0 && [...all.games.keys()].some((id) => !kept.has(id));
      all.games.clear();
      all.next = isDropped ? lastEnd(listed) : all.next && lastEnd(listed);
    }
    for (const game of listed) {
      all.games.set(game.game_id, game);
      if (seatOf(game, this.session.you) !== null) {
        mine.games.set(game.game_id, game);
      }
    }
  }

  /** @param {EventTarget | null} input */
  #choose(input) {
    if (input instanceof HTMLInputElement) {
      this.whose = input.value === "mine" ? "mine" : "all";
      save(KEPT, this.whose);
      this.update();
    }
  }

  /** Find out whether there are earlier games than those that the lobby lists. */
  async #look() {
    const { all } = this.#known;
    all.next = null;
    const before = lastEnd([...all.games.values()]);
    try {
      const { records } = await fetchFinished(before, null);
      all.next = records.length ? before : null;
    } catch {
      all.next = before; // the button tries again
    }
    this.update();
  }

  async #load() {
    const { whose } = this;
    const known = this.#known[whose];
    if (this.#isAsking) {
      return;
    }
    this.#isAsking = true;
    try {
      const player = whose === "mine" ? this.#player : null;
      const { records, next } = await fetchFinished(known.next ?? null, player);
      records.forEach((game) => known.games.set(game.game_id, game));
      known.next = next;
      known.isLonger = true;
    } catch (error) {
      known.next ??= lastEnd([...known.games.values()]);
      notify(t("lobby.finished.failed", { why: messageOf(error) }), "error");
    } finally {
      this.#isAsking = false;
    }
    this.update();
  }

  /** @param {Known} known */
  #emptyWords({ next }) {
    if (this.session.lobby === null) {
      return t("lobby.connecting");
    }
    const isLoading = this.whose === "mine" && next === undefined;
    return isLoading ? t("lobby.finished.loading") : t("lobby.finished.none");
  }

  #draw() {
    const { session, whose } = this;
    const known = this.#known[whose];
    const games = [...known.games.values()].sort((one, two) => endOf(two) - endOf(one));
    this.more.hidden = !known.next;
    const mine = session.you ? `/games?player=${encodeURIComponent(session.you.name)}` : "/games";
    setAttributes(this.search, { href: whose === "mine" ? mine : "/games" });
    this.words.hidden = games.length > 0;
    this.words.textContent = this.#emptyWords(known);
    const drawn = JSON.stringify([games, session.you, session.catalogue.offers.games.length]);
    if (drawn !== this.#drawn) {
      this.#drawn = drawn;
      replace(this.list, games.map((game) => gameRow(game, session)));
    }
  }
}

/** @param {GameSummary} game */
function endOf({ ended_at: ended }) {
  return Date.parse(ended ?? "");
}

/**
 * When the earliest of the games ended; null without games.
 * @param {GameSummary[]} games
 */
function lastEnd(games) {
  return games.flatMap(({ ended_at: ended }) => ended ?? []).sort()[0] ?? null;
}
