/** The offers to add finished games of this device to the person's games on the server. */

import { isLocal } from "../shared/device_games.js";
import { notify, notifyOf } from "../shared/dialogs.js";
import { h, replace } from "../shared/dom.js";
import { loadPart } from "../shared/loading.js";
import { loadMessages, t } from "../shared/messages.js";
import { isAddable } from "./addable.js";

/** @import { Session } from "../shared/session.js" */
/** @import { DeviceGames } from "./device.js" */
/** @import { GameWithBot } from "./addable.js" */

/** It takes the place of the button, and its focus. */
const LINK = { class: "button", "data-link": true, "data-key": "add" };

export class AddOffers {
  /** Whether games are being added. */
  isAdding = false;
  #here;
  /** @type {Session | null} */
  #session = null;
  /** Below a finished game: its id, and its offer. */
  #below = { id: "", element: h("p", { class: "keep-offer" }) };

  /** @param {DeviceGames} here */
  constructor(here) {
    this.#here = here;
  }

  /** @param {Session} session */
  begin(session) {
    this.#session = session;
    session.lobbyChanged.on(() => this.#draw());
  }

  /**
   * The button that adds all finished games, or a link to the person's games if some are there; false
   * if there are none, or nobody to add them to.
   */
  ofAll() {
    const games = [...this.#here.games.values()];
    const left = games.filter(isAddable);
    if (left.length > 0) {
      return this.#button(left, t("outside.local.add_all", { n: left.length }));
    }
    return games.some(({ added }) => added) &&
      h("a", { ...LINK, href: this.#myGames }, t("outside.local.my_games"));
  }

  /** The offer to add one finished game, or the link to it on the server. @param {string} id */
  ofOne(id) {
    this.#below.id = id;
    this.#draw();
    return this.#below.element;
  }

  #draw() {
    const { id, element } = this.#below;
    const game = this.#here.games.get(id);
    const part = game?.added
      ? h("a", { ...LINK, href: `/game/${game.added}` }, t("outside.local.see_added"))
      : game && isAddable(game) && this.#button([game], t("outside.local.add"));
    element.hidden = !part;
    replace(element, part);
  }

  /**
   * @param {GameWithBot[]} games
   * @param {string} words
   */
  #button(games, words) {
    const attributes = { type: "button", "data-key": "add", "data-needs-connection": "server" };
    const onclick = () => this.#add(games);
    return !isLocal(this.#here.person.id) &&
      h("button", { ...attributes, "aria-disabled": this.isAdding && "true", onclick }, words);
  }

  /** @param {GameWithBot[]} games */
  async #add(games) {
    const session = this.#session;
    if (!session || this.isAdding) {
      return;
    }
    this.#note(true);
    const parts = () => Promise.all([import("./adding.js"), loadMessages("local")]);
    const [adding] = (await loadPart(parts)) ?? [];
    const done = await adding?.addGames(
      games,
      async (game) => (await session.connection.request("game.add", game)).game_id,
      (id, added) => this.#here.noteAdded(id, added),
    );
    done?.failure && notifyOf(done.failure);
    if (done?.added) {
      const mine = { label: t("outside.local.my_games"), href: this.#myGames };
      notify(t("local.added", { n: done.added }), "info", mine);
      session.gamesAdded.emit();
    }
    this.#note(false);
  }

  get #myGames() {
    return `/games?player=${encodeURIComponent(this.#here.person.name)}`;
  }

  /** @param {boolean} isAdding */
  #note(isAdding) {
    this.isAdding = isAdding;
    this.#session?.lobbyChanged.emit();
  }
}
