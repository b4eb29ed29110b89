/**
 * How a person's rating changes with an answer to a puzzle: a game of Glicko-2 in which the puzzle
 * keeps its rating, and volatility stays as it is (http://www.glicko.net/glicko/glicko2.pdf, steps 3,
 * 4, 7 and 8).
 */

/** @typedef {{rating: number, deviation: number}} Rating */

const SCALE = 173.7178;
const MIDDLE = 1500;
const LEAST_DEVIATION = 45;
/** A rating with a greater deviation is provisional. */
const PROVISIONAL = 110;
const PUZZLE_DEVIATION = 150;
/** @type {Rating} */
export const NEW_SOLVER = { rating: 1200, deviation: 200 };

/** @param {Rating} rating */
export function isProvisional({ deviation }) {
  return deviation > PROVISIONAL;
}

/**
 * @param {Rating} solver
 * @param {number} puzzle rating
 * @param {boolean} solved
 * @returns {Rating}
 */
export function afterAnswer({ rating, deviation }, puzzle, solved) {
  const [mu, phi] = [(rating - MIDDLE) / SCALE, deviation / SCALE];
  const g = 1 / Math.sqrt(1 + 3 * (PUZZLE_DEVIATION / SCALE) ** 2 / Math.PI ** 2);
  const expected = 1 / (1 + Math.exp(-g * (mu - (puzzle - MIDDLE) / SCALE)));
  const variance = 1 / (1 / phi ** 2 + g * g * expected * (1 - expected));
  return {
    rating: SCALE * (mu + variance * g * (Number(solved) - expected)) + MIDDLE,
    deviation: Math.max(LEAST_DEVIATION, SCALE * Math.sqrt(variance)),
  };
}
