/** Says how a draw offer of this person ended: the server's states show only that it is gone. */

import { notify } from "../shared/dialogs.js";
import { moverOf, other, seatOf } from "../shared/games.js";
import { t } from "../shared/messages.js";

/** @import { Session } from "../shared/session.js" */
/** @import { GameState, Seat } from "../shared/wire.d.ts" */

export class DrawOffers {
  /** By game, how many turns had been played when the draw was offered. @type {Map<string, number>} */
  #open = new Map();

  /** @param {Session} session */
  constructor(session) {
    this.session = session;
    session.games.changed.on((game) => this.#note(game));
  }

  /** @param {GameState} game */
  #note(game) {
    const id = game.game_id;
    const seat = seatOf(game, this.session.you);
    const offeredAt = this.#open.get(id);
    if (seat !== null && game.draw_offer === seat) {
      this.#open.set(id, offeredAt ?? game.turns.length);
      return;
    }
    this.#open.delete(id);
    if (seat !== null && offeredAt !== undefined && game.state === "playing") {
      const opponent = game.players[other(seat) - 1]?.name ?? "";
      notify(
        answered(game, other(seat), offeredAt)
          ? t("game.draw.declined_by_turn", { name: opponent })
          : t("game.draw.declined_by", { name: opponent }),
      );
    }
  }
}

/**
 * Whether a player has played since.
 * @param {GameState} game
 * @param {Seat} seat
 * @param {number} since a number of turns
 */
function answered({ turns }, seat, since) {
  return turns.slice(since).some((_, index) => moverOf(since + index) === seat);
}
