/** The clocks at the start of a game. */

/** @import { PlayerClock, TimeControl } from "./wire.d.ts" */

/**
 * The clock of a player who has not moved yet.
 * @param {TimeControl} control
 * @returns {PlayerClock}
 */
export function fullClock(control) {
  const seconds = mainSeconds(control);
  const periods = control.kind === "byoyomi" ? control.periods : 0;
  const main = seconds === null ? null : Math.round(seconds * 1000);
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
