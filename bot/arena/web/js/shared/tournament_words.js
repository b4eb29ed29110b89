/** The page's words for tournaments, in lists and on their own pages. */

import { capital, counted } from "./sentences.js";
import { termsOf } from "./terms.js";

/** @import { Catalogue } from "./catalogue.js" */
/** @import { GameSetup, TournamentSummary } from "./wire.d.ts" */

/** @typedef {Pick<TournamentSummary, "round" | "rounds_in_all">} Progress */
/** @typedef {Progress & Pick<TournamentSummary, "state" | "is_open">} Standing */

/** @type {Record<string, string>} */
const FORMATS = {
  "swiss": "Swiss",
  "round-robin": "Round-robin",
  "gauntlet": "Gauntlet",
  "knockout": "Knockout",
  "double-knockout": "Double knockout",
  "free-for-all": "Free-for-all",
  "sequential": "Sequential match",
};

/** The formats that a host can choose on the page, in the order of the list. */
export const FORMAT_CHOICES = Object.entries(FORMATS).filter(([kind]) => kind !== "sequential");

/** @param {string} kind */
export function formatTitle(kind) {
  return FORMATS[kind] ?? capital(kind);
}

/**
 * A warning that a Swiss may end early. No two players meet twice, so rounds beyond half of the number
 * of players may have no legal pairing.
 * @param {number} rounds
 * @param {number} players how many there are, or at most if `isLimit`
 * @param {boolean} [isLimit]
 * @returns {string} "" if there are few enough rounds
 */
export function earlyEndWords(rounds, players, isLimit = false) {
  if (players < 2 || rounds <= Math.ceil(players / 2)) {
    return "";
  }
  return `With ${isLimit ? "at most " : ""}${players} players, a Swiss of ` +
    `${counted(rounds, "round")} may end early because no legal pairing is left.`;
}

/** @param {Progress} progress */
export function roundWords({ round, rounds_in_all: all }) {
  if (round === 0) {
    return all === null ? "" : counted(all, "round");
  }
  return all === null ? `Round ${round}` : `Round ${round} of ${all}`;
}

/**
 * Whether a tournament has not begun and may still begin.
 * @param {TournamentSummary["state"]} state
 */
export function isToCome(state) {
  return state === "waiting" || state === "open" || state === "closed";
}

/**
 * The state of a tournament in a few words.
 * @param {Standing} standing
 */
export function phaseWords(standing) {
  switch (standing.state) {
    case "waiting":
      return "Registration is not open yet";
    case "closed":
      return "Registration is closed";
    case "open":
      return standing.is_open ? "Open for registration" : "All places are taken";
    case "running":
      return `${roundWords(standing) || "Running"}${
        standing.is_open ? ", open to late players" : ""
      }`;
    case "paused":
      return `Paused: ${roundWords(standing).toLowerCase() || "before the first round"}`;
    case "played":
      return "All games are played";
    case "ending":
      return "Ends with its last game";
    case "over":
      return "Finished";
    case "cancelled":
      return "Cancelled";
  }
}

/** @type {Record<TournamentSummary["admits"], string>} */
export const ADMITS = { bots: "bots", people: "humans", both: "bots and humans" };

/**
 * @param {TournamentSummary} summary
 * @param {Catalogue} catalogue
 */
export function termsOfTournament(summary, catalogue) {
  return [
    formatTitle(summary.format),
    ...summary.games.map((game) => catalogue.title(game)),
    ADMITS[summary.admits],
    counted(summary.entrants, "player"),
  ];
}

/**
 * What distinguishes the setups, in their order; "" if there is only one.
 * @param {GameSetup[]} setups
 * @param {Catalogue} catalogue
 */
export function setupLabels(setups, catalogue) {
  const all = setups.map((setup) => termsOf(setup, catalogue));
  return all.map((terms) =>
    terms.filter((term) => !all.every((other) => other.includes(term))).join(" · ")
  );
}

/**
 * Points as they are written in tables: halves as ½.
 * @param {number} points
 */
export function pointsText(points) {
  const whole = Math.trunc(points);
  const rest = points - whole;
  if (rest === 0.5) {
    return whole ? `${whole}½` : "½";
  }
  return rest === 0 ? String(whole) : points.toFixed(2);
}

/**
 * A time in the person's language, without the date if it is today.
 * @param {string} moment
 */
export function momentText(moment) {
  const date = new Date(moment);
  const time = date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  const isToday = date.toDateString() === new Date().toDateString();
  const day = date.toLocaleDateString([], { day: "numeric", month: "short", year: "numeric" });
  return isToday ? time : `${day}, ${time}`;
}
