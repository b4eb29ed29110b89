/** After a game: an offer of the same game to the same opponent. */

import { isLocal } from "../shared/device_games.js";
import { h, replace } from "../shared/dom.js";
import { other } from "../shared/games.js";
import { t } from "../shared/messages.js";
import { isAddressedTo, isRematchOf, waitsFor } from "../shared/offers.js";

/** @import { Session } from "../shared/session.js" */
/** @import { GameState, Seat } from "../shared/wire.d.ts" */

const BUTTON = { type: "button", "data-needs-connection": true };

export class Rematch {
  /** @type {{game: GameState, seat: Seat} | null} */
  #over = null;
  /** Whether an offer is being sent. */
  #asking = false;
  #drawn = "";

  /** @param {Session} session */
  constructor(session) {
    this.session = session;
    this.element = h("span", { class: "rematch" });
  }

  /**
   * @param {GameState} game a finished one
   * @param {Seat} seat the person's
   */
  update(game, seat) {
    this.#over = { game, seat };
    this.redraw();
  }

  /** The offers have changed. */
  redraw() {
    if (!this.#over) {
      return;
    }
    const { game, seat } = this.#over;
    const opponent = this.session.nameOf(game.players[other(seat) - 1]);
    const me = this.session.you?.name;
    const offers = isLocal(game.game_id) ? [] : [...this.session.challenges.values()];
    const waiting = offers.find((each) => waitsFor(each, me, opponent));
    const offered = offers.find((each) => isAddressedTo(each, me) && isRematchOf(each, game));
    const ids = [waiting?.challenge_id, offered?.challenge_id];
    const key = JSON.stringify([...ids, opponent, this.#asking]);
    if (key !== this.#drawn) {
      this.#drawn = key;
      replace(
        this.element,
        ...(offered
          ? this.#offered(offered.challenge_id, opponent)
          : waiting
          ? this.#waiting(waiting.challenge_id, opponent)
          : [this.#button(game, seat)]),
      );
    }
  }

  /**
   * @param {string} id
   * @param {string} opponent
   */
  #waiting(id, opponent) {
    const cancel = () => this.session.cancel(id);
    return [
      h("span", {}, t("game.rematch.waiting", { name: opponent })),
      h("button", { ...BUTTON, "data-key": "rematch", onclick: cancel }, t("common.cancel")),
    ];
  }

  /**
   * The opponent's offer, in the place of the button that would make one.
   * @param {string} id
   * @param {string} opponent
   */
  #offered(id, opponent) {
    const { session } = this;
    const accept = { ...BUTTON, class: "primary", "data-key": "rematch" };
    return [
      h("strong", {}, t("game.rematch.offered", { name: opponent })),
      h("button", { ...accept, onclick: () => session.accept(id) }, t("common.accept")),
      h("button", { ...BUTTON, onclick: () => session.decline(id) }, t("common.decline")),
    ];
  }

  /**
   * @param {GameState} game
   * @param {Seat} seat
   */
  #button(game, seat) {
    const attributes = {
      ...BUTTON,
      class: "primary",
      "data-key": "rematch",
      disabled: this.#asking,
      onclick: () => this.#ask(game, seat),
    };
    return h("button", attributes, t("game.rematch.do"));
  }

  /**
   * @param {GameState} game
   * @param {Seat} seat
   */
  async #ask(game, seat) {
    this.#asking = true;
    this.redraw();
    await this.session.offerRematch(game, seat);
    this.#asking = false;
    this.redraw();
  }
}
