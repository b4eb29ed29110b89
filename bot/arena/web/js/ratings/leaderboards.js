/** The leaderboards: the players of each game with established ratings. */

import { hiddenUntilReady } from "../shared/arrival.js";
import { messageOf } from "../shared/dialogs.js";
import { h, replace } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { playerLink } from "../shared/player_link.js";
import { chip } from "../shared/setup_fields.js";
import { botMark } from "../shared/side.js";
import { fetchLeaders } from "./requests.js";

/** @import { Session } from "../shared/session.js" */
/** @import { Leader } from "./requests.js" */

/** Who is listed. @type {[string, string][]} */
const KINDS = [["", "both"], ["person", "people"], ["bot", "bots"]];

export class LeaderboardsPage {
  title = t("outside.ratings.menu");
  /** @type {null} */
  site = null;
  #game = "";
  #kind = "";
  /** @type {Leader[]} */
  #leaders = [];
  /** @type {number | null} */
  #next = null;
  /** Counts the requests: an answer to an earlier one is not shown. */
  #asked = 0;
  /** @type {(() => void)[]} */
  #endings = [];

  /**
   * @param {Session} session
   * @param {string} game in the address; "" for the first one
   */
  constructor(session, game) {
    this.session = session;
    this.#game = game;
    this.tabs = h("nav", { class: "rating-tabs", "aria-label": t("ratings.leaders.games") });
    const kinds = h(
      "div",
      { class: "chips small", role: "radiogroup", "aria-label": t("ratings.leaders.who") },
      KINDS.map(([value, word]) => chip("kind", value, t(`ratings.leaders.${word}`), this.#kind)),
    );
    kinds.addEventListener("change", (event) => {
      if (event.target instanceof HTMLInputElement) {
        this.#kind = event.target.value;
        this.#load(0);
      }
    });
    this.words = h("p", { class: "quiet", role: "status" });
    this.body = h("tbody", {});
    this.table = h(
      "table",
      { class: "results-table leaders" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          ["rank", "player", "rating", "games"].map((each) =>
            h("th", { scope: "col" }, t(`ratings.leaders.${each}`))
          ),
        ),
      ),
      this.body,
    );
    this.more = h(
      "button",
      { type: "button", onclick: () => this.#load(this.#next ?? 0) },
      t("ratings.leaders.more"),
    );
    this.element = h(
      "main",
      { class: "player-page", id: "page", tabindex: -1 },
      h("header", { class: "page-head" }, h("h1", {}, this.title)),
      this.tabs,
      h(
        "section",
        { class: "panel", "aria-label": this.title },
        h(
          "div",
          { class: "list-head" },
          h("p", { class: "quiet" }, t("ratings.leaders.about")),
          kinds,
        ),
        this.table,
        this.words,
        this.more,
      ),
    );
    this.reveal = hiddenUntilReady(this.element);
    this.#endings.push(session.lobbyChanged.on(() => this.#draw()));
    this.#begin();
  }

  /** The game that the page is about. */
  get subject() {
    return this.#game || null;
  }

  dispose() {
    this.#endings.forEach((end) => end());
  }

  async #begin() {
    this.table.hidden = this.more.hidden = true;
    this.words.textContent = t("ratings.leaders.loading");
    try {
      const { games } = await this.session.catalogue.load();
      this.#game = games.some(({ game }) => game === this.#game)
        ? this.#game
        : games[0]?.game ?? "";
    } catch (error) {
      this.words.textContent = t("ratings.leaders.failed", { why: messageOf(error) });
      return;
    }
    this.#drawTabs();
    await this.#load(0);
    this.reveal();
  }

  /** @param {number} start */
  async #load(start) {
    const asked = ++this.#asked;
    try {
      const found = await fetchLeaders(this.#game, this.#kind, start);
      if (asked !== this.#asked) {
        return;
      }
      this.#leaders = start ? [...this.#leaders, ...found.players] : found.players;
      this.#next = found.next;
      this.words.textContent = found.total
        ? t("ratings.leaders.total", { n: found.total })
        : t("ratings.leaders.nobody");
      this.#draw();
    } catch (error) {
      this.words.textContent = t("ratings.leaders.failed", { why: messageOf(error) });
    }
  }

  #drawTabs() {
    const { catalogue } = this.session;
    const tab = (/** @type {string} */ game) =>
      h(
        "a",
        {
          class: "rating-tab",
          href: `/leaderboards/${game}`,
          "data-link": true,
          "data-key": `game-${game}`,
          "aria-current": game === this.#game ? "page" : null,
        },
        catalogue.title(game),
      );
    replace(this.tabs, catalogue.offers.games.map(({ game }) => tab(game)));
  }

  #draw() {
    const me = this.session.you?.id;
    this.table.hidden = this.#leaders.length === 0;
    this.more.hidden = this.#next === null;
    replace(this.body, this.#leaders.map((each) => leaderRow(each, me)));
  }
}

/**
 * @param {Leader} leader
 * @param {string | null | undefined} me
 */
function leaderRow({ rank, player, rating, games }, me) {
  return h(
    "tr",
    { class: player.id !== null && player.id === me ? "own" : null },
    h("td", {}, rank),
    h("th", { scope: "row" }, playerLink(player.name), " ", botMark(player)),
    h("td", {}, h("strong", {}, Math.round(rating))),
    h("td", {}, games),
  );
}
