/** The words for the levels of bots. */

/** A word for each level, from the weakest. */
export const LEVEL_WORDS = [
  "Newcomer",
  "Beginner",
  "Learner",
  "Casual",
  "Steady",
  "Skilled",
  "Strong",
  "Expert",
  "Master",
  "Champion",
];

/** @param {number} level from 1 */
export function levelWord(level) {
  return LEVEL_WORDS[level - 1] ?? "";
}
