/** The page of finished games: the person's own, or those that a search finds. */

import { hiddenUntilReady } from "../shared/arrival.js";
import { messageOf } from "../shared/dialogs.js";
import { h, replace } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { addressOf } from "../shared/site.js";
import { filtersIn, queryOf, searchGames, serverQuery } from "./requests.js";
import { FilterForm } from "./filters.js";
import { recordRow } from "./row.js";

/** @import { Session } from "../shared/session.js" */
/** @import { GameSummary } from "../shared/wire.d.ts" */
/** @import { Filters } from "./requests.js" */

export class GamesPage {
  /** @type {null} */
  site = null;
  /** @type {null} */
  subject = null;
  title = t("records.title");
  /** @type {(() => void)[]} */
  #endings = [];
  /** @type {GameSummary[]} */
  #found = [];
  /** @type {string | null} */
  #next = null;
  /** How many searches have been sent: an answer that a later search has overtaken is dropped. */
  #searches = 0;
  #drawn = "";

  /** @param {Session} session */
  constructor(session) {
    this.session = session;
    this.filters = filtersIn(location.search);
    this.form = new FilterForm(session.catalogue, () => session.you?.name ?? null);
    this.list = h("ul", { class: "record-list" });
    this.words = h("p", { class: "quiet", role: "status" });
    this.more = h("button", { type: "button", onclick: () => this.#load() }, t("records.more"));
    this.downloads = h("div", { class: "buttons downloads" });
    const filters = h(
      "details",
      { class: "filter-box", open: true },
      h("summary", {}, t("records.filters")),
      this.form.element,
    );
    if (matchMedia("(max-width: 700px)").matches) {
      filters.removeAttribute("open");
    }
    this.element = h(
      "main",
      { class: "records", id: "page", tabindex: -1 },
      h("header", { class: "records-head" }, h("h1", {}, this.title), this.downloads),
      filters,
      h(
        "section",
        { class: "panel found", "aria-label": t("records.found") },
        this.list,
        this.words,
        this.more,
      ),
    );
    this.reveal = hiddenUntilReady(this.element);
    this.#endings.push(
      this.form.changed.on((wanted) => this.#search(wanted)),
      session.catalogue.loaded.on(() => this.#draw()),
      session.lobbyChanged.on(() => this.#draw()),
    );
    this.#search(this.filters, false);
  }

  dispose() {
    this.#endings.forEach((end) => end());
  }

  /**
   * Search, and put the search into the address.
   * @param {Filters} filters
   * @param {boolean} [isNew] whether the address has another search
   */
  #search(filters, isNew = true) {
    this.filters = filters;
    if (isNew) {
      const query = queryOf(filters);
      history.replaceState(null, "", addressOf(query.size ? `/games?${query}` : "/games"));
    }
    this.#found = [];
    this.#next = null;
    this.#searches++;
    this.#load();
  }

  async #load() {
    const search = this.#searches;
    this.words.textContent = t("records.loading");
    this.words.hidden = this.#found.length > 0;
    try {
      const { records, next } = await searchGames(this.filters, this.#next);
      if (search !== this.#searches) {
        return;
      }
      this.#found.push(...records);
      this.#next = next;
      this.words.textContent = t("records.none");
      this.words.hidden = this.#found.length > 0;
    } catch (error) {
      if (search !== this.#searches) {
        return;
      }
      this.words.textContent = t("records.failed", { why: messageOf(error) });
      this.words.hidden = false;
    }
    this.#draw();
    this.reveal();
  }

  #draw() {
    const { session, filters } = this;
    this.form.show(filters);
    this.more.hidden = this.#next === null;
    const query = serverQuery(filters);
    const { games } = session.catalogue.offers;
    const drawn = JSON.stringify([this.#found, filters, session.you, games.length]);
    if (drawn === this.#drawn) {
      return;
    }
    this.#drawn = drawn;
    // A finished game has the name of then; the person's own games are found by their id.
    const { player } = filters;
    const isMine = player?.toLowerCase() === session.you?.name.toLowerCase();
    const whose = (isMine && session.you?.id) || (player ?? null);
    replace(this.list, this.#found.map((game) => recordRow(game, whose, session)));
    const download = (/** @type {string} */ form, /** @type {string} */ label) =>
      h("a", { class: "button", href: `/api/records.${form}?${query}`, download: true }, label);
    replace(
      this.downloads,
      this.#found.length > 0 && [
        download("sgf", t("records.all_sgf")),
        download("jsonl", t("records.all_json")),
      ],
    );
  }
}
