/** After a game: an offer of the same game to the same opponent. */

import { h, replace } from "../shared/dom.js";
import { other } from "../shared/games.js";
import { t } from "../shared/messages.js";
import { waitsFor } from "../shared/offers.js";

/** @import { Session } from "../shared/session.js" */
/** @import { GameState, Seat } from "../shared/wire.d.ts" */

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
    const opponent = game.players[other(seat) - 1]?.name ?? "";
    const me = this.session.you?.name;
    const offers = [...this.session.challenges.values()];
    const waiting = offers.find((each) => waitsFor(each, me, opponent));
    const key = JSON.stringify([waiting?.challenge_id, opponent, this.#asking]);
    if (key !== this.#drawn) {
      this.#drawn = key;
      replace(
        this.element,
        ...(waiting ? this.#waiting(waiting.challenge_id, opponent) : [this.#button(game, seat)]),
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
      h("button", { type: "button", "data-key": "rematch", onclick: cancel }, t("common.cancel")),
    ];
  }

  /**
   * @param {GameState} game
   * @param {Seat} seat
   */
  #button(game, seat) {
    const attributes = {
      type: "button",
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
