/** The clocks of a game at an earlier turn. */

import { moverOf } from "../shared/games.js";

/** @import { ClockView, GameState, PlayerClock, Seat, TimeControl } from "../shared/wire.d.ts" */

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

/**
 * The clock of a player who has not moved yet.
 * @param {TimeControl} control
 * @returns {PlayerClock}
 */
function fullClock(control) {
  const seconds = mainSeconds(control);
  const periods = control.kind === "byoyomi" ? control.periods : 0;
  const main = seconds === null ? null : seconds * 1000;
  return { main_ms: main, periods, period_used_ms: 0, flagged: false };
}

/** @param {TimeControl} control */
function mainSeconds(control) {
  switch (control.kind) {
    case "fischer":
    case "absolute":
      return control.initial_s;
    case "correspondence":
      return Math.min(control.initial_s, control.maximum_s);
    case "byoyomi":
      return control.main_s;
    case "per_turn":
      return control.turn_s;
    case "none":
      return null;
  }
}
