/** The finished games that the lobby no longer lists, fetched page by page when asked for. */

import { fetchFinished } from "../shared/api.js";
import { messageOf, notify } from "../shared/dialogs.js";
import { h } from "../shared/dom.js";
import { gameRow } from "./rows.js";

/** @import { Catalogue } from "../shared/catalogue.js" */
/** @import { GameSummary } from "../shared/wire.d.ts" */

/** The lobby lists as many finished games; where there are fewer, none is earlier. */
const LOBBY_LISTS = 20;

export class EarlierGames {
  /** @type {string | null} */
  #before = null;
  /** Whether it is known if there are any. */
  #looked = false;
  #loaded = false;
  /** What the lobby has listed so far. @type {Set<string>} */
  #seen = new Set();

  /**
   * @param {() => {shown: Set<string>, me: string}} context the games listed elsewhere
   * @param {Catalogue} catalogue
   */
  constructor(context, catalogue) {
    this.context = context;
    this.catalogue = catalogue;
    this.list = h("ul", { class: "rows" });
    this.more = h(
      "button",
      { type: "button", class: "quiet-button", onclick: () => this.#load() },
      "Show earlier games",
    );
    this.element = h("div", {}, this.list, this.more);
    this.more.hidden = true;
  }

  /**
   * Offer to show more, if there is more.
   * @param {string[]} listed the finished games that the lobby lists
   */
  update(listed) {
    if (listed.length < LOBBY_LISTS || this.#loaded) {
      return;
    }
    listed.forEach((id) => this.#seen.add(id));
    if (this.#seen.size > listed.length) {
      this.more.hidden = false; // newer ones have taken the place of one
    } else if (!this.#looked) {
      this.#looked = true;
      this.#look();
    }
  }

  async #look() {
    try {
      const { records, next } = await fetchFinished(null);
      if (next !== null || this.#fresh(records).length > 0) {
        this.more.hidden = false;
      }
    } catch {
      this.more.hidden = false; // pressing it asks again
    }
  }

  /** @param {GameSummary[]} records */
  #fresh(records) {
    const { shown } = this.context();
    return records.filter((game) => !shown.has(game.game_id));
  }

  async #load() {
    try {
      const { records, next } = await fetchFinished(this.#before);
      const { me } = this.context();
      const rows = this.#fresh(records).map((game) => gameRow(game, me, this.catalogue));
      this.list.append(...rows);
      this.#loaded = true;
      this.#before = next;
      this.more.hidden = next === null;
    } catch (error) {
      notify(`The earlier games could not be loaded: ${messageOf(error)}.`, "error");
    }
  }
}
