/** The words for the levels of bots. */

import { t } from "./messages.js";

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
