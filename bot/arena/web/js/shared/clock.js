/** Clocks that run down between messages. Only the server's clock decides a game on it. */

import { t } from "./messages.js";

/** @import { PlayerClock, TimeControl } from "./wire.d.ts" */

/**
 * @typedef {object} ShownClock
 * @property {number | null} ms left in the main time or in this period; null without a clock
 * @property {number} periods byo-yomi periods left, this one included
 * @property {boolean} inPeriod the main time is used up
 * @property {boolean} flagged
 */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * @param {TimeControl} control
 * @param {PlayerClock} clock at the time from which `elapsedMs` counts
 * @param {number} elapsedMs
 * @returns {ShownClock}
 */
export function runDown(control, clock, elapsedMs) {
  const { main_ms: main, periods, flagged } = clock;
  if (main === null) {
    return { ms: null, periods: 0, inPeriod: false, flagged };
  }
  const left = main - Math.max(0, elapsedMs);
  if (control.kind !== "byoyomi") {
    return { ms: Math.max(0, left), periods: 0, inPeriod: false, flagged: flagged || left <= 0 };
  }
  if (left > 0) {
    return { ms: left, periods, inPeriod: false, flagged };
  }
  const period = control.period_s * SECOND;
  const spent = clock.period_used_ms - left;
  const used = Math.floor(spent / period);
  if (flagged || used >= periods) {
    return { ms: 0, periods: 0, inPeriod: true, flagged: true };
  }
  return { ms: period - (spent - used * period), periods: periods - used, inPeriod: true, flagged };
}

/**
 * @param {number} ms
 * @returns {string} like 2 d 04 h, 1:02:03, 4:59 or, under ten seconds, 9.8
 */
export function formatTime(ms) {
  if (ms >= DAY) {
    const hours = two(Math.floor((ms % DAY) / HOUR));
    return t("common.clock.days", { days: Math.floor(ms / DAY), hours });
  }
  if (ms >= HOUR) {
    const minutes = two(Math.floor((ms % HOUR) / MINUTE));
    return `${Math.floor(ms / HOUR)}:${minutes}:${two(Math.floor((ms % MINUTE) / SECOND))}`;
  }
  if (ms < 10 * SECOND) {
    return (Math.floor(ms / 100) / 10).toFixed(1);
  }
  return `${Math.floor(ms / MINUTE)}:${two(Math.floor((ms % MINUTE) / SECOND))}`;
}

/** @param {number} number */
function two(number) {
  return String(number).padStart(2, "0");
}

/**
 * The offset between this machine's clock and the server's, estimated from the times in messages. The
 * smallest offset belongs to the message that arrived fastest.
 */
export class ServerTime {
  #offset = Infinity;

  /** Forget the offset: the server may have restarted with another time. */
  reset() {
    this.#offset = Infinity;
  }

  /** @param {string} serverTime ISO 8601, as a message carries it */
  learn(serverTime) {
    this.#offset = Math.min(this.#offset, now() - Date.parse(serverTime));
  }

  /**
   * Milliseconds until a time of the server; 0 if it has passed.
   * @param {string} serverTime
   */
  until(serverTime) {
    const offset = Number.isFinite(this.#offset) ? this.#offset : 0;
    return Math.max(0, Date.parse(serverTime) - (now() - offset));
  }

  /**
   * Milliseconds since a time of the server.
   * @param {string} serverTime
   */
  since(serverTime) {
    const offset = Number.isFinite(this.#offset) ? this.#offset : 0;
    return Math.max(0, now() - offset - Date.parse(serverTime));
  }
}

/** Unlike Date.now(), this does not jump when the machine's clock is set. */
export function now() {
  return performance.timeOrigin + performance.now();
}
