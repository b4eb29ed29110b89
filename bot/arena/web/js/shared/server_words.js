/** The server's English sentences in the reader's language, where a code says the same. */

import { hasMessage, language, t } from "./messages.js";

/** @import { Challenge, Illegal } from "./wire.d.ts" */

/**
 * Why the server refuses something. English readers get the server's own sentence, which may say
 * more than the code.
 * @param {{code: string, message: string}} refusal
 */
export function refusalWords({ code, message }) {
  const isKnown = language !== "en" && hasMessage(`common.refusal.${code}`);
  return isKnown ? t(`common.refusal.${code}`) : message;
}

/**
 * How a challenge of this person ended. A bot may give a reason, in English.
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
  return instead && language !== "en"
    ? t("common.challenge.full", { name, other: instead })
    : message;
}

/**
 * Why a stone may not be placed on a cell.
 * @param {Illegal} illegal
 * @param {string} cell
 */
export function illegalWords({ rule, message }, cell) {
  const isKnown = language !== "en" && hasMessage(`game.illegal.${rule}`);
  return isKnown ? t(`game.illegal.${rule}`, { cell }) : message;
}
