/** Counts down to the next event: the beginning, the next round, a forfeit. */

import { h, replace } from "../shared/dom.js";
import { formatTime } from "../shared/clock.js";
import { t } from "../shared/messages.js";
import { isToCome, momentText } from "../shared/tournament_words.js";

/** @import { ServerTime } from "../shared/clock.js" */
/** @import { TournamentGame, TournamentState } from "../shared/wire.d.ts" */

/** An event by its key in `tournament.due`, and the places in its sentences. */
/** @typedef {{event: string, at: string, values: Record<string, string>}} Due */

const TICK_MS = 500;
/** Above this, the time itself is shown instead of a countdown. */
const FAR_MS = 24 * 60 * 60 * 1000;

export class Countdown {
  /** @type {Due[]} */
  #due = [];

  /** @param {ServerTime} time */
  constructor(time) {
    this.time = time;
    this.element = h("div", {
      class: "countdown",
      role: "timer",
      "aria-label": t("tournaments.due.title"),
    });
    this.element.hidden = true;
    this.ticking = setInterval(() => this.#tick(), TICK_MS);
  }

  dispose() {
    clearInterval(this.ticking);
  }

  /**
   * @param {TournamentState} state
   * @param {string | undefined} me
   */
  update(state, me) {
    this.#due = dueOf(state, me);
    this.#tick();
  }

  #tick() {
    this.element.hidden = this.#due.length === 0;
    replace(this.element, this.#due.map((due) => h("span", {}, this.#line(due))));
  }

  /** @param {Due} due */
  #line({ event, at, values }) {
    const left = this.time.until(at);
    if (left === 0) {
      return t(`tournaments.due.${event}_now`, values);
    }
    // Tenths of a second would flicker.
    const rounded = Math.ceil(left / 1000) * 1000;
    const shown = rounded < 10_000 ? `0:0${rounded / 1000}` : formatTime(rounded);
    return left > FAR_MS
      ? t(`tournaments.due.${event}_at`, { ...values, moment: momentText(at) })
      : t(`tournaments.due.${event}_in`, { ...values, time: shown });
  }
}

/**
 * @param {TournamentState} state
 * @param {string | undefined} me
 * @returns {Due[]}
 */
export function dueOf({ state, settings, next_round_at: next, final_at: final, rounds }, me) {
  if (isToCome(state)) {
    return [
      ...moment("opens", settings.opens_at, state === "waiting"),
      ...moment("closes", settings.closes_at, state === "open"),
      ...moment("starts", settings.starts_at, true),
    ];
  }
  if (state === "played") {
    return moment("final", final, true);
  }
  if (state !== "running") {
    return [];
  }
  return [
    ...moment("next_round", next, true),
    ...noShow(rounds.flatMap((round) => round.pairings.flatMap((pairing) => pairing.games)), me),
  ];
}

/**
 * @param {string} event
 * @param {string | null} at
 * @param {boolean} matters
 * @returns {Due[]}
 */
function moment(event, at, matters) {
  return at !== null && matters ? [{ event, at, values: {} }] : [];
}

/**
 * The time by which players must be there: in the person's game, else the earliest of all games.
 * @param {TournamentGame[]} games
 * @param {string | undefined} me
 * @returns {Due[]}
 */
function noShow(games, me) {
  const waiting = games
    .flatMap(({ seats, due_by: at }) => (at === null ? [] : [{ seats, at }]))
    .sort((one, two) => Date.parse(one.at) - Date.parse(two.at));
  const mine = waiting.find(({ seats }) => seats.some((name) => name === me));
  const first = mine ?? waiting[0];
  if (!first) {
    return [];
  }
  const [one, two] = first.seats;
  const event = mine ? "own_forfeit" : "forfeit";
  return [{ event, at: first.at, values: { one, two } }];
}
