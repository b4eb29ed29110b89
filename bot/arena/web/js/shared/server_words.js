/** The server's English sentences in the reader's language, and what helps against a refusal. */

import { hasMessage, language, t } from "./messages.js";

/** @import { Challenge, Illegal } from "./wire.d.ts" */

/** Where a person can do something about a refusal, by its code and rule. @type {Record<string, [string, string]>} */
const HELP = {
  too_many: ["/", t("common.help.my_games")],
  too_many_with_you: ["/", t("common.help.my_games")],
  unknown_game_id: ["/games", t("common.help.games")],
  registration_closed: ["/tournaments", t("common.help.tournaments")],
  unknown_tournament: ["/tournaments", t("common.help.tournaments")],
};

/** Add where a person can do something about more refusals. @param {typeof HELP} more */
export function addHelp(more) {
  Object.assign(HELP, more);
}

/**
 * A button or link that helps.
 * @typedef {{label: string, href?: string, press?: () => void}} Help `press` sends a request
 */

/**
 * Why the server refuses something. English readers get the server's own sentence, which may say
 * more than the code, unless the page has words for the very case.
 * @param {{code: string, message: string, rule?: string | null}} refusal
 */
export function refusalWords({ code, message, rule }) {
  if (rule && hasMessage(`common.refusal.${code}.${rule}`)) {
    return t(`common.refusal.${code}.${rule}`);
  }
  const isKnown = language !== "en" && hasMessage(`common.refusal.${code}`);
  return isKnown ? t(`common.refusal.${code}`, { why: message }) : message;
}

/**
 * What helps against a refusal of the server or of a bot; null if the page knows nothing.
 * @param {{code: string, rule?: string | null}} refusal
 * @returns {Help | null}
 */
export function helpWith({ code, rule }) {
  const [href, label] = HELP[`${code}.${rule}`] ?? HELP[code] ?? [];
  return href && label ? { href, label } : null;
}

/**
 * How a challenge of this person ended. A bot may give a reason, as a code and in English.
 * @param {Challenge} challenge
 */
export function turnedDownWords({ state, code, message, seats, creator, instead }) {
  const name = seats.find((each) => each !== null && each !== creator.name) ?? "";
  if (state === "expired") {
    return t("common.challenge.expired");
  }
  if (message === null || (code === "declined" && message === `${name} declined.`)) {
    return t("common.challenge.declined", { name });
  }
  if (instead) {
    return t("common.challenge.full", { name, other: instead });
  }
  // Bots of other authors have codes of their own.
  return code && hasMessage(`common.declined.${code}`)
    ? t(`common.declined.${code}`, { name })
    : message;
}

/**
 * Why a stone may not be placed on a cell. The server's sentence serves rules without words here.
 * @param {Illegal} illegal
 * @param {string} cell
 */
export function illegalWords({ rule, message }, cell) {
  return hasMessage(`game.illegal.${rule}`) ? t(`game.illegal.${rule}`, { cell }) : message;
}
