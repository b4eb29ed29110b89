/**
 * The clocks of a game on this device. They follow from its turns: a turn that is taken back gives its
 * time back. The first turn of each player is free.
 */

import { runDown } from "../shared/clock.js";
import { fullClock } from "../shared/full_clock.js";
import { moverOf } from "../shared/games.js";

/** @import { PlayerClock, TimeControl } from "../shared/wire.d.ts" */

/** Turns of both before the clocks run, as between people on a server. */
const FREE_TURNS = 2;
const SECOND_MS = 1_000;

/**
 * Each turn with the clock of its player after it.
 * @template {{time_ms: number}} Turn
 * @param {TimeControl} control
 * @param {readonly Turn[]} turns
 */
export function clocksOf(control, turns) {
  /** @type {(Turn & {clock: PlayerClock})[]} */
  const played = [];
  turns.forEach((turn, ply) => {
    const before = played[ply - 2]?.clock ?? fullClock(control);
    const clock = ply < FREE_TURNS ? before : charged(control, before, turn.time_ms);
    played.push({ ...turn, clock });
  });
  return played;
}

/**
 * Both clocks between two turns, by seat.
 * @param {TimeControl} control
 * @param {readonly {time_ms: number}[]} turns
 * @returns {[PlayerClock, PlayerClock]}
 */
export function clocksAfter(control, turns) {
  const full = fullClock(control);
  const [last = full, before = full] = clocksOf(control, turns).slice(-2).reverse()
    .map(({ clock }) => clock);
  return moverOf(turns.length) === 1 ? [before, last] : [last, before];
}

/**
 * How long the player to move may think; null if no clock runs.
 * @param {TimeControl} control
 * @param {readonly {time_ms: number}[]} turns
 */
export function timeLeft(control, turns) {
  const [one, two] = clocksAfter(control, turns);
  const { main_ms: main, periods } = moverOf(turns.length) === 1 ? one : two;
  if (main === null || turns.length < FREE_TURNS) {
    return null;
  }
  return control.kind === "byoyomi" ? main + periods * whole(control.period_s) : main;
}

/** Whole milliseconds, of which clocks are made. @param {number} seconds */
function whole(seconds) {
  return Math.round(seconds * SECOND_MS);
}

/**
 * A clock after a turn, with the time that the control adds: as bot/time_controls.py.
 * @param {TimeControl} control
 * @param {PlayerClock} clock
 * @param {number} elapsedMs
 * @returns {PlayerClock}
 */
export function charged(control, clock, elapsedMs) {
  const { ms, periods, inPeriod, flagged } = runDown(control, clock, elapsedMs);
  if (ms === null || flagged) {
    return { ...clock, main_ms: ms && 0, periods: 0, flagged };
  }
  const spent = { ...clock, main_ms: inPeriod ? 0 : ms, periods };
  switch (control.kind) {
    case "fischer":
      return { ...spent, main_ms: ms + whole(control.increment_s) };
    case "correspondence": {
      const main = Math.min(ms + whole(control.increment_s), whole(control.maximum_s));
      return { ...spent, main_ms: main };
    }
    case "per_turn":
      return fullClock(control);
    default:
      return spent;
  }
}
