/** Choosing whether a game is rated, with the reason where it cannot be. */

import { h, replace } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { load, save } from "../shared/storage.js";

/** @import { GameOffer } from "../shared/api.js" */
/** @import { Child } from "../shared/dom.js" */
/** @import { Areas, Link } from "../shared/areas.js" */
/** @import { Session } from "../shared/session.js" */
/** @import { GameSetup } from "../shared/wire.d.ts" */

const KEPT = "rated";

export class RatedField {
  words = t("ratings.setup.title");
  style = "rated-field";
  /** Whether the person wants rated games; kept while a chosen game cannot be rated. */
  #wanted;

  /**
   * @param {boolean} isForGame false for a tournament, in which others play
   * @param {Session} session
   * @param {Areas} areas
   */
  constructor(isForGame, session, areas) {
    this.isForGame = isForGame;
    this.session = session;
    this.areas = areas;
    this.#wanted = isForGame && Boolean(load(KEPT, false));
    this.input = h("input", { type: "checkbox", name: "rated", "aria-describedby": "rated-note" });
    this.input.addEventListener("change", () => {
      this.#wanted = this.input.checked;
      if (isForGame) {
        save(KEPT, this.#wanted);
      }
    });
    this.note = h("p", { class: "quiet", id: "rated-note" });
    const label = h(
      "label",
      { class: "check" },
      this.input,
      h("span", {}, t("ratings.setup.rated")),
    );
    this.element = h("div", {}, label, this.note);
  }

  /** The setup, rated if the person wishes that. @param {GameSetup} setup @returns {GameSetup} */
  applied(setup) {
    return { ...setup, rated: this.input.checked };
  }

  /**
   * @param {GameSetup} setup
   * @param {GameOffer} offer
   */
  update(setup, offer) {
    const obstacle = this.#obstacle(setup, offer);
    this.input.disabled = obstacle !== null;
    this.input.checked = this.#wanted && obstacle === null;
    replace(this.note, obstacle ?? [this.#about()]);
  }

  #about() {
    return this.isForGame ? t("ratings.setup.note") : t("ratings.setup.tournament");
  }

  /**
   * Why the game cannot be rated, as in `rated_games.py`; null if it can.
   * @param {GameSetup} setup
   * @param {GameOffer} offer
   * @returns {Child[] | null}
   */
  #obstacle({ clock, board, options = {} }, offer) {
    if (this.isForGame && this.session.you?.registered !== true) {
      const link = (/** @type {Link} */ { href }) =>
        h(
          "a",
          { href, "data-link": true, "data-key": "account" },
          t("ratings.account_link"),
        );
      return [t("ratings.keep_account"), " ", ...this.areas.ownLinks(this.session.you).map(link)];
    }
    if (clock.kind === "none") {
      return [t("ratings.setup.clock")];
    }
    if (!offer.boards.includes(board ?? "")) {
      return [t("ratings.setup.board")];
    }
    return Object.keys(options).length ? [t("ratings.setup.options")] : null;
  }
}
