/** The finished games that the lobby no longer lists, fetched page by page when asked for. */

import { fetchFinished } from "./api.js";
import { notify } from "./dialogs.js";
import { h } from "./dom.js";
import { gameRow } from "./lobby_rows.js";

export class EarlierGames {
  /** @type {string | null} */
  #before = null;

  /**
   * @param {() => {shown: Set<string>, me: string}} context the games listed elsewhere
   * @param {import("./catalogue.js").Catalogue} catalogue
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
  }

  async #load() {
    try {
      const { records, next } = await fetchFinished(this.#before);
      const { shown, me } = this.context();
      const fresh = records.filter((game) => !shown.has(game.game_id));
      this.list.append(...fresh.map((game) => gameRow(game, me, this.catalogue)));
      this.#before = next;
      this.more.hidden = next === null;
    } catch (error) {
      notify(
        `The earlier games could not be loaded: ${/** @type {Error} */ (error).message}.`,
        "error",
      );
    }
  }
}
