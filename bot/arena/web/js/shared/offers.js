/** The players whom an open challenge concerns. */

import { isSame } from "./games.js";

/** @import { Challenge, GameSetup, GameState } from "./wire.d.ts" */

/**
 * Whether another player challenges this person by name and waits for an answer.
 * @param {Challenge} challenge
 * @param {string | undefined} me
 */
export function isAddressedTo({ creator, seats, accepted }, me) {
  return me !== undefined && creator.name !== me && seats.includes(me) && !accepted.includes(me);
}

/**
 * Whether the server tells this person how the challenge ends, even if the lobby does not list it.
 * @param {Challenge} challenge
 * @param {string | undefined} me
 */
export function concerns({ creator, seats, accepted }, me) {
  return me !== undefined && (creator.name === me || [...seats, ...accepted].includes(me));
}

/**
 * Whether this person has made the challenge and waits only for that opponent.
 * @param {Challenge} challenge
 * @param {string | undefined} me
 * @param {string} opponent
 */
export function waitsFor({ creator, seats }, me, opponent) {
  return me !== undefined && creator.name === me && seats.includes(me) && seats.includes(opponent);
}

/**
 * Whether a challenge offers a finished game again, with the colours exchanged, to the opponent of
 * that game.
 * @param {Challenge} challenge
 * @param {GameState} game
 */
export function isRematchOf({ creator, setup }, game) {
  return game.state === "finished" && game.players.some((player) => isSame(player, creator)) &&
    textOf(setup) === textOf(exchanged(game.setup));
}

/**
 * The setup of a game between the same players with the colours exchanged: options of the two seats,
 * whose names end in `_1` and `_2`, go with the players.
 * @param {GameSetup} setup
 * @returns {GameSetup}
 */
export function exchanged(setup) {
  const options = Object.entries(setup.options).map(([name, value]) => {
    const theirs = name.replace(/_[12]$/, (end) => (end === "_1" ? "_2" : "_1"));
    return [theirs, value];
  });
  return { ...setup, options: Object.fromEntries(options) };
}

/** @param {GameSetup} setup */
function textOf({ options, ...others }) {
  return JSON.stringify([others, Object.entries(options).toSorted()]);
}
