/** Counts down to the next event: the beginning, the next round, a forfeit. */

import { h, replace } from "../shared/dom.js";
import { formatTime } from "../shared/clock.js";
import { isToCome, momentText } from "../shared/tournament_words.js";

/** @import { ServerTime } from "../shared/clock.js" */
/** @import { TournamentGame, TournamentState } from "../shared/wire.d.ts" */

/** @typedef {{words: string, at: string}} Due */

const TICK_MS = 500;
/** Above this, the time itself is shown instead of a countdown. */
const FAR_MS = 24 * 60 * 60 * 1000;

export class Countdown {
  /** @type {Due[]} */
  #due = [];

  /** @param {ServerTime} time */
  constructor(time) {
    this.time = time;
    this.element = h("div", { class: "countdown", role: "timer", "aria-label": "Next event" });
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
  #line({ words, at }) {
    const left = this.time.until(at);
    if (left === 0) {
      return `${words} now`;
    }
    // Tenths of a second would flicker.
    const rounded = Math.ceil(left / 1000) * 1000;
    const shown = rounded < 10_000 ? `0:0${rounded / 1000}` : formatTime(rounded);
    return left > FAR_MS ? `${words} ${momentText(at)}` : `${words} in ${shown}`;
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
      ...moment("Registration opens", settings.opens_at, state === "waiting"),
      ...moment("Registration closes", settings.closes_at, state === "open"),
      ...moment("The first round begins", settings.starts_at, true),
    ];
  }
  if (state === "played") {
    return moment("The results become final", final, true);
  }
  if (state !== "running") {
    return [];
  }
  return [
    ...moment("The next round begins", next, true),
    ...noShow(rounds.flatMap((round) => round.pairings.flatMap((pairing) => pairing.games)), me),
  ];
}

/**
 * @param {string} words
 * @param {string | null} at
 * @param {boolean} matters
 * @returns {Due[]}
 */
function moment(words, at, matters) {
  return at !== null && matters ? [{ words, at }] : [];
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
  const words = mine
    ? "Your game: a player who is away forfeits"
    : `${one} – ${two}: a player who is away forfeits`;
  return [{ words, at: first.at }];
}
