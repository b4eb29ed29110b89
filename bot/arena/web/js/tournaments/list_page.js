/** The page with all tournaments. */

import { fetchTournaments } from "../shared/api.js";
import { messageOf } from "../shared/dialogs.js";
import { h, replace } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { tournamentRow } from "../shared/tournament_row.js";

/** @import { ListedTournament } from "../shared/api.js" */
/** @import { Session } from "../shared/session.js" */

export class TournamentsPage {
  title = t("outside.tournaments.menu");
  /** @type {null} */
  site = null;
  /** @type {null} */
  subject = null;
  /** @type {(() => void)[]} */
  #endings = [];
  /** @type {Map<string, ListedTournament>} */
  #listed = new Map();
  /** @type {string | null} */
  #before = null;
  #drawn = "";

  /** @param {Session} session */
  constructor(session) {
    this.session = session;
    this.list = h("ul", { class: "rows" });
    this.words = h("p", { class: "quiet" }, t("tournaments.list.loading"));
    this.more = h(
      "button",
      { type: "button", onclick: () => this.#load() },
      t("tournaments.list.earlier"),
    );
    this.more.hidden = true;
    this.host = h(
      "a",
      { class: "button primary", href: "/tournaments/new", "data-link": true },
      t("outside.tournaments.new"),
    );
    this.element = h(
      "main",
      { class: "tournament-list", id: "page", tabindex: -1 },
      h("header", { class: "tournament-head" }, h("h1", {}, this.title), this.host),
      h(
        "section",
        { class: "panel", "aria-label": this.title },
        this.list,
        this.words,
        this.more,
      ),
    );
    this.#endings.push(
      session.lobbyChanged.on(() => this.#draw()),
      session.catalogue.loaded.on(() => this.#draw()),
    );
    this.#load();
  }

  dispose() {
    this.#endings.forEach((end) => end());
  }

  async #load() {
    try {
      const { tournaments, next } = await fetchTournaments(this.#before);
      tournaments.forEach((each) => this.#listed.set(each.tournament_id, each));
      this.#before = next;
      this.more.hidden = next === null;
      this.words.textContent = t("tournaments.list.none");
      this.words.hidden = this.#listed.size > 0;
      this.#draw();
    } catch (error) {
      this.words.textContent = t("tournaments.list.failed", { why: messageOf(error) });
      this.words.hidden = this.more.hidden = false;
    }
  }

  #draw() {
    const { lobby, catalogue, mayHost } = this.session;
    this.host.hidden = !mayHost;
    // Current tournaments are as the lobby has them; newly created ones come first.
    const current = new Map(lobby?.tournaments.map((each) => [each.tournament_id, each]));
    const known = [...this.#listed.values()];
    const fresh = [...current.values()].filter((each) => !this.#listed.has(each.tournament_id));
    const shown = [...fresh, ...known.map((each) => current.get(each.tournament_id) ?? each)];
    const drawn = JSON.stringify([shown, catalogue.offers.games.length]);
    if (drawn !== this.#drawn) {
      this.#drawn = drawn;
      replace(this.list, shown.map((each) => tournamentRow(each, catalogue)));
    }
  }
}
