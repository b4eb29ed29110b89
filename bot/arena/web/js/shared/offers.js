/** Whom an open challenge concerns. */

/** @import { Challenge } from "./wire.d.ts" */

/**
 * Whether somebody else asks this person by name, and waits for an answer.
 * @param {Challenge} challenge
 * @param {string | undefined} me
 */
export function isAddressedTo({ creator, seats, accepted }, me) {
  return me !== undefined && creator.name !== me && seats.includes(me) && !accepted.includes(me);
}

/**
 * Whether the server tells this person of its end, whatever the lobby lists.
 * @param {Challenge} challenge
 * @param {string | undefined} me
 */
export function concerns({ creator, seats, accepted }, me) {
  return me !== undefined && (creator.name === me || [...seats, ...accepted].includes(me));
}

/**
 * Whether this person waits for that opponent, and for nobody else.
 * @param {Challenge} challenge
 * @param {string | undefined} me
 * @param {string} opponent
 */
export function waitsFor({ creator, seats }, me, opponent) {
  return me !== undefined && creator.name === me && seats.includes(me) && seats.includes(opponent);
}
