/** The offer to keep the account: made once, after a game that an unregistered person has played. */

import { byId, h } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { load, save } from "../shared/storage.js";

/** The account's page makes the same offer at any time. */
const OFFER_MS = 20_000;

/** @import { Session } from "../shared/session.js" */
/** @import { GameState } from "../shared/wire.d.ts" */

export class KeepOffer {
  /** Removes the offer that is shown. */
  #remove = () => {};

  /** @param {Session} session */
  constructor(session) {
    this.session = session;
    session.games.changed.on((game) => this.#follow(game));
  }

  /** @param {GameState} game */
  #follow(game) {
    const { you } = this.session;
    const isMine = game.players.some((player) => player.id === you?.id);
    const isPlayed = game.result !== null && game.result.reason !== "aborted";
    if (you && isMine && isPlayed && !you.registered && !load("keep_offered", false)) {
      save("keep_offered", true);
      this.#show();
    }
  }

  /** The person goes to another page. */
  leave() {
    this.#remove();
  }

  #show() {
    const remove = () => notice.remove();
    const notice = h(
      "div",
      { class: "notice keep-offer" },
      h("span", {}, t("common.keep.words")),
      h(
        "a",
        { class: "button", href: "/account", "data-link": true, onclick: remove },
        t("common.keep.do"),
      ),
      h(
        "button",
        { type: "button", class: "icon", "aria-label": t("common.close"), onclick: remove },
        "×",
      ),
    );
    byId("notices").append(notice);
    setTimeout(remove, OFFER_MS);
    this.#remove = remove;
  }
}
