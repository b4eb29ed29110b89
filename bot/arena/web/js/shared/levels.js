/** The words for the levels of bots. */

import { t } from "./messages.js";

/** @import { Player } from "./wire.d.ts" */

const LEVELS = 10;

/** A word for each level, from the weakest. */
export const LEVEL_WORDS = Array.from(
  { length: LEVELS },
  (_, index) => t(`common.level.${index + 1}`),
);

/** @param {number} level from 1 */
export function levelWord(level) {
  return LEVEL_WORDS[level - 1] ?? "";
}

/**
 * The bots that have a level, the weakest first.
 * @param {readonly Player[]} bots
 */
export function withLevel(bots) {
  const known = bots.filter((bot) => bot.level);
  return known.sort((one, two) => (one.level ?? 0) - (two.level ?? 0));
}
