/** The openings of a tournament, as a host writes them and as the page shows them. */

import { t } from "../shared/messages.js";

/** @import { TournamentSettings } from "../shared/wire.d.ts" */

/**
 * Read one opening per line, with blanks between turns and comments after `#`; or `random:PLIES`.
 * @param {string} text
 * @returns {TournamentSettings["openings"]}
 */
export function readOpenings(text) {
  const lines = text.split("\n").map((line) => line.replace(/#.*/, "").trim()).filter(Boolean);
  const [first = ""] = lines;
  const isRandom = lines.length === 1 && first.startsWith("random:");
  return isRandom ? first : lines.map((line) => line.split(/\s+/));
}

/**
 * @param {TournamentSettings["openings"]} openings
 * @returns {string} "" without openings
 */
export function openingWords(openings) {
  if (typeof openings === "string") {
    return t("tournaments.openings.random", { n: Number(openings.replace("random:", "")) });
  }
  return openings.length ? t("tournaments.openings.chosen", { n: openings.length }) : "";
}
