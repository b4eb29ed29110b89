/** The person's games as they were last seen, shown while there is no connection. */

import { h, replace } from "../shared/dom.js";
import { language, t } from "../shared/messages.js";
import { load, save } from "../shared/storage.js";

/** @import { Session } from "../shared/session.js" */
/** @import { GameState, Lobby, Player } from "../shared/wire.d.ts" */
/** @typedef {{at: number, you: Player, lobby: Lobby, games: GameState[]}} Remembered */

const KEY = "last_state";
const SAVE_AFTER_MS = 2_000;
const SHOW_AFTER_MS = 3_000;
const MOST_GAMES = 10;

export class LastState {
  #saving = 0;
  #isShown = false;

  /**
   * @param {Session} session
   * @param {HTMLElement} place where the page says that it is offline
   */
  constructor(session, place) {
    this.session = session;
    this.place = place;
    session.games.changed.on(() => this.#saveSoon());
    session.lobbyChanged.on(() => this.#saveSoon());
    session.connection.welcomed.on(() => this.#hide());
    setTimeout(() => this.#show(), SHOW_AFTER_MS);
  }

  #saveSoon() {
    if (this.session.connection.online && !this.#saving) {
      this.#saving = setTimeout(() => this.#save(), SAVE_AFTER_MS);
    }
  }

  #save() {
    this.#saving = 0;
    const { you, lobby, myGames } = this.session;
    if (you && lobby) {
      const games = myGames.slice(0, MOST_GAMES)
        .map((each) => this.session.games.get(each.game_id))
        .filter((each) => each !== undefined);
      const own = { ...lobby, players: [], challenges: [], games: myGames, tournaments: [] };
      save(KEY, { at: Date.now(), you, lobby: own, games });
    }
  }

  #show() {
    const known = /** @type {Remembered | null} */ (load(KEY, null));
    const { session } = this;
    if (session.welcome !== null || known === null) {
      return;
    }
    this.#isShown = true;
    const time = new Date(known.at).toLocaleString(language, {
      dateStyle: "medium",
      timeStyle: "short",
    });
    replace(this.place, h("p", { class: "notice" }, t("common.offline_state", { time })));
    session.remember(known);
  }

  #hide() {
    if (this.#isShown) {
      this.#isShown = false;
      replace(this.place);
    }
  }
}
