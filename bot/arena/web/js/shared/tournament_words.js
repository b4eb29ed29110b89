/** The page's words for tournaments, in lists and on their own pages. */

import { locale, t } from "./messages.js";
import { capital } from "./sentences.js";
import { termsOf } from "./terms.js";

/** @import { Catalogue } from "./catalogue.js" */
/** @import { GameSetup, TournamentSummary } from "./wire.d.ts" */

/** @typedef {Pick<TournamentSummary, "round" | "rounds_in_all">} Progress */
/** @typedef {Progress & Pick<TournamentSummary, "state" | "is_open">} Standing */

const decimals = new Intl.NumberFormat(locale, {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});

/** @type {Record<string, string>} */
const FORMATS = {
  "swiss": t("common.format.swiss"),
  "round-robin": t("common.format.round-robin"),
  "gauntlet": t("common.format.gauntlet"),
  "knockout": t("common.format.knockout"),
  "double-knockout": t("common.format.double-knockout"),
  "free-for-all": t("common.format.free-for-all"),
  "sequential": t("common.format.sequential"),
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
  const values = { players, n: rounds };
  return isLimit
    ? t("common.swiss_limit_ends_early", values)
    : t("common.swiss_ends_early", values);
}

/** @param {Progress} progress */
export function roundWords({ round, rounds_in_all: all }) {
  if (round === 0) {
    return all === null ? "" : t("common.rounds", { n: all });
  }
  return all === null ? t("common.round", { round }) : t("common.round_of", { round, all });
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
      return t("common.phase.waiting");
    case "closed":
      return t("common.phase.closed");
    case "open":
      return standing.is_open ? t("common.phase.open") : t("common.phase.full");
    case "running":
      return runningWords(standing);
    case "paused":
      return pausedWords(standing);
    case "played":
      return t("common.phase.played");
    case "ending":
      return t("common.phase.ending");
    case "over":
      return t("common.phase.over");
    case "cancelled":
      return t("common.phase.cancelled");
  }
}

/** @param {Standing} standing */
function runningWords(standing) {
  const progress = roundWords(standing) || t("common.phase.running");
  return standing.is_open ? t("common.phase.running_open", { progress }) : progress;
}

/** @param {Progress} progress */
function pausedWords({ round, rounds_in_all: all }) {
  if (round === 0) {
    return t("common.phase.paused_before");
  }
  return all === null
    ? t("common.phase.paused", { round })
    : t("common.phase.paused_of", { round, all });
}

/** @type {Record<TournamentSummary["admits"], string>} */
export const ADMITS = {
  bots: t("common.admits.bots"),
  people: t("common.admits.people"),
  both: t("common.admits.both"),
};

/**
 * @param {TournamentSummary} summary
 * @param {Catalogue} catalogue
 */
export function termsOfTournament(summary, catalogue) {
  return [
    formatTitle(summary.format),
    ...summary.games.map((game) => catalogue.title(game)),
    ADMITS[summary.admits],
    t("common.players", { n: summary.entrants }),
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
  return rest === 0 ? String(whole) : decimals.format(points);
}

/**
 * A time in the person's language, without the date if it is today.
 * @param {string} moment
 */
export function momentText(moment) {
  const date = new Date(moment);
  const time = date.toLocaleTimeString(locale, { hour: "2-digit", minute: "2-digit" });
  const isToday = date.toDateString() === new Date().toDateString();
  const day = date.toLocaleDateString(locale, { day: "numeric", month: "short", year: "numeric" });
  return isToday ? time : `${day}, ${time}`;
}
