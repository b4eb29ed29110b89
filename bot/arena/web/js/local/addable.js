/** Which games on this device may be added to the person's games on the server. */

/** @import { Seat } from "../shared/wire.d.ts" */
/** @import { StoredGame } from "./stored_game.js" */

/** The most turns of a game that a server adds to a person's games. */
const MOST_ADDED_TURNS = 600;

/** A game of one person against a bot. @typedef {StoredGame & {seat: Seat, level: number}} GameWithBot */

/**
 * Whether a game may be added to the person's games on the server, and is not there yet. Of two people
 * who share a device the server knows one at most.
 * @param {StoredGame} game
 * @returns {game is GameWithBot}
 */
export function isAddable(game) {
  const { result, turns, added, seat } = game;
  return seat !== null && result !== null && result.reason !== "aborted" && added === undefined &&
    turns.length > 0 && turns.length <= MOST_ADDED_TURNS;
}
