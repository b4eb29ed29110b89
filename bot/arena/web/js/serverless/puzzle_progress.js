/** What the browser remembers of a person's puzzles. */

/** @import { Rating } from "./puzzle_rating.js" */

/**
 * What the browser remembers: whether the first answer to a puzzle was right, ratings by game, and
 * days in a row, as numbers from 1970.
 * @typedef {object} Progress
 * @property {Record<string, boolean>} answers
 * @property {Record<string, Rating>} ratings
 * @property {number} lastDay
 * @property {number} streak
 */

/**
 * What was kept; nothing if it has another form, such as that of another version of the page.
 * @param {unknown} value
 * @returns {Progress}
 */
export function readProgress(value) {
  const kept = /** @type {Progress} */ (value);
  return isObject(value) && isProgress(kept)
    ? kept
    : { answers: {}, ratings: {}, lastDay: 0, streak: 0 };
}

/** @param {Progress} kept */
function isProgress({ answers, ratings, lastDay, streak }) {
  return isObject(answers) && Object.values(answers).every((each) => typeof each === "boolean") &&
    isObject(ratings) && Object.values(ratings).every(isRating) &&
    Number.isInteger(lastDay) && Number.isInteger(streak);
}

/** @param {Rating} value */
function isRating(value) {
  return isObject(value) && Number.isFinite(value.rating) && value.deviation > 0;
}

/** @param {unknown} value */
function isObject(value) {
  return typeof value === "object" && value !== null;
}
