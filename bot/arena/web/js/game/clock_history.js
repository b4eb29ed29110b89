/** The clocks of a game at an earlier turn. */

import { fullClock } from "../shared/full_clock.js";
import { moverOf } from "../shared/games.js";

/** @import { ClockView, GameState, Seat } from "../shared/wire.d.ts" */

/**
 * Both clocks after a number of turns; neither runs.
 * @param {GameState} game
 * @param {number} ply
 * @returns {ClockView}
 */
export function clocksAt(game, ply) {
  const clockOf = (/** @type {Seat} */ seat) => {
    const own = game.turns.slice(0, ply).filter((_, index) => moverOf(index) === seat);
    return own.at(-1)?.clock ?? fullClock(game.setup.clock);
  };
  return { players: [clockOf(1), clockOf(2)], running: null, first_turn_ms: null, away_ms: null };
}
