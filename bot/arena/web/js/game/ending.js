/** How a game ended, in words. */

import { resultTitle } from "../shared/sentences.js";

/** @import { GameTexts } from "../rules/texts.js" */
/** @import { GameState, Result, Seat } from "../shared/wire.d.ts" */

/** @typedef {"won" | "lost" | "draw" | "decided"} Outcome */

/**
 * @param {GameState} game
 * @param {Seat | null} seat the person's, null for a spectator
 * @returns {Outcome}
 */
export function outcome(game, seat) {
  const winner = game.result?.winner ?? null;
  if (winner === null || seat === null) {
    return winner === null ? "draw" : "decided";
  }
  return winner === seat ? "won" : "lost";
}

/**
 * @param {GameState} game
 * @param {Seat | null} seat
 */
export function headline(game, seat) {
  switch (outcome(game, seat)) {
    case "won":
      return "You won";
    case "lost":
      return "You lost";
    default:
      return game.result ? resultTitle(game.result, game.players) : "";
  }
}

/**
 * The server's sentence; a sentence about the person themselves says "you".
 * @param {GameState} game
 * @param {Result} result
 * @param {Seat | null} seat
 */
export function message(game, result, seat) {
  const name = seat && game.players[seat - 1]?.name;
  if (!name || !result.message.startsWith(`${name} `)) {
    return result.message;
  }
  return `You ${result.message.slice(name.length + 1).replace(/^wins\b/, "win")}`;
}

/**
 * What ended and decided the game; "" if the server's sentence says that.
 * @param {GameState} game
 * @param {Result} result
 * @param {GameTexts} texts
 */
export function reason(game, result, texts) {
  return result.reason === "played_out" ? texts.ended(game) : "";
}
