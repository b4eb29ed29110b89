/** Says how an offer of this person ended: the server's states show only that it is gone. */

import { notify } from "../shared/dialogs.js";
import { moverOf, other, seatOf } from "../shared/games.js";
import { t } from "../shared/messages.js";

/** @import { Session } from "../shared/session.js" */
/** @import { GameState, Seat } from "../shared/wire.d.ts" */

/** @typedef {"draw_offer" | "abort_offer"} Kind */
/** When an offer was made. @typedef {{ply: number, takebacks: number | null}} Since */

export class OfferAnswers {
  /** The open offers of this person, by kind and game. @type {Map<string, Since>} */
  #open = new Map();

  /** @param {Session} session */
  constructor(session) {
    this.session = session;
    session.games.changed.on((game) => {
      this.#note(game, "draw_offer");
      this.#note(game, "abort_offer");
    });
  }

  /**
   * @param {GameState} game
   * @param {Kind} kind
   */
  #note(game, kind) {
    const id = `${kind} ${game.game_id}`;
    const seat = seatOf(game, this.session.you);
    const since = this.#open.get(id);
    if (seat !== null && game[kind] === seat) {
      this.#open.set(id, since ?? { ply: game.turns.length, takebacks: game.takebacks });
      return;
    }
    this.#open.delete(id);
    if (seat !== null && since && game.state === "playing") {
      const how = answer(game, kind, other(seat), since);
      if (how) {
        notify(words(kind, how, game.players[other(seat) - 1]?.name ?? ""));
      }
    }
  }
}

/**
 * How the opponent declined an offer; null if it ended in another way.
 * @param {GameState} game
 * @param {Kind} kind
 * @param {Seat} opponent
 * @param {Since} since
 */
function answer({ turns, takebacks }, kind, opponent, { ply, takebacks: before }) {
  if (takebacks !== before) {
    return null;
  }
  const movers = turns.slice(ply).map((_, index) => moverOf(ply + index));
  if (movers.includes(opponent)) {
    return "by_turn";
  }
  // A turn of this person ends their own offer to abort.
  return kind === "abort_offer" && movers.length > 0 ? null : "by_word";
}

/**
 * @param {Kind} kind
 * @param {"by_turn" | "by_word"} how
 * @param {string} name
 */
function words(kind, how, name) {
  if (kind === "draw_offer") {
    return how === "by_turn"
      ? t("game.draw.declined_by_turn", { name })
      : t("game.draw.declined_by", { name });
  }
  return how === "by_turn"
    ? t("game.abort.declined_by_turn", { name })
    : t("game.abort.declined_by", { name });
}
