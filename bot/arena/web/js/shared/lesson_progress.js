/** Which steps of the lessons this person has done, and where they stopped. */

import { load, save } from "./storage.js";

/** @typedef {{at: number, done: string[], whole?: boolean}} Progress */

const KEY = "lessons";

function all() {
  /** @type {unknown} */
  const kept = load(KEY, {});
  const isKnown = kept !== null && typeof kept === "object";
  return /** @type {Record<string, Partial<Progress>>} */ (isKnown ? kept : {});
}

/**
 * @param {string} game
 * @returns {Progress}
 */
export function progressOf(game) {
  const { at, done, whole } = all()[game] ?? {};
  return { at: Number(at) || 0, done: Array.isArray(done) ? done : [], whole: whole === true };
}

/**
 * @param {string} game
 * @param {Progress} progress
 */
export function keep(game, progress) {
  save(KEY, { ...all(), [game]: progress });
}

/** Whether this person has begun any lesson. */
export function hasLearned() {
  return Object.keys(all()).length > 0;
}
