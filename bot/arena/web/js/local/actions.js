/** What players of a game on this device do apart from turns. */

import { other } from "../shared/games.js";
import { refusal, refuseIf } from "./refusals.js";

/** @import { GameAction, Seat } from "../shared/wire.d.ts" */
/** @import { PlayedGame } from "./played_game.js" */
/** @import { StoredGame, StoredResult } from "./stored_game.js" */

/**
 * The stored game after an action; null if the bot declines.
 * @param {PlayedGame} game a running one
 * @param {GameAction["action"]} action
 * @param {string} now
 * @returns {StoredGame | null}
 * @throws {Refused}
 */
export function changeBy(game, action, now) {
  const { opponent, position, stored } = game;
  switch (action) {
    case "resign":
      return ended(game, other(opponent.givesUp(position.toPlay)), "resignation", now);
    case "abort":
      refuseIf(stored.turns.length > 1, "too_late");
      return ended(game, null, "aborted", now);
    case "offer_abort":
      refuseIf(!opponent.isHere, "not_now");
      return ended(game, null, "aborted", now);
    case "offer_draw":
      return opponent.isHere ? ended(game, null, "draw_agreement", now) : null;
    case "ask_takeback":
      return takenBack(game, now);
    default:
      throw refusal("not_now");
  }
}

/**
 * @param {PlayedGame} game
 * @param {Seat | null} winner
 * @param {StoredResult["reason"]} reason
 * @param {string} now
 */
export function ended(game, winner, reason, now) {
  return game.changed({ result: { winner, reason } }, now);
}

/**
 * Without the last turn; against a bot, without the person's last turn and the answer to it.
 * @param {PlayedGame} game
 * @param {string} now
 */
function takenBack(game, now) {
  const { turns, takebacks } = game.stored;
  const left = turns.length - game.opponent.takenBack(game.position.toPlay);
  refuseIf(left < 0, "no_takebacks");
  return game.changed({ turns: turns.slice(0, left), takebacks: takebacks + 1 }, now);
}
