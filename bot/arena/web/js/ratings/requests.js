/** What the arena says about players and their rated games. */

import { get } from "../shared/api.js";

/** @import { Player } from "../shared/wire.d.ts" */

/** @typedef {{games: number, won: number, drawn: number, lost: number}} Tally */

/**
 * @typedef {object} Standing
 * @property {number} rating
 * @property {number} deviation
 * @property {boolean} provisional
 * @property {number} games
 * @property {string | null} rated_at
 */

/**
 * The rated games of one game.
 * @typedef {Standing & {
 *   game: string,
 *   rank: number | null,
 *   results: Tally,
 *   best: {rating: number, at: string, game_id: string} | null,
 *   curve: [at: string, rating: number][],
 *   opponents: (Tally & {player: Player})[],
 *   boards: (Tally & {board: string})[],
 * }} GameProfile
 */

/** @typedef {{player: Player, since: string, games: number, ratings: GameProfile[]}} Profile */
/** @typedef {Standing & {rank: number, player: Player}} Leader */
/** @typedef {{game: string, players: Leader[], total: number, next: number | null}} Leaders */
/** @typedef {{player: string, score: number, before: number, after: number, provisional: boolean}} RatingChange */

/** @param {string} name */
export async function fetchProfile(name) {
  return /** @type {Profile} */ (await get(`/api/players/${encodeURIComponent(name)}`));
}

/**
 * A page of a leaderboard.
 * @param {string} game
 * @param {string} kind "bot", "person", or "" for both
 * @param {number} start how many places come before it
 */
export async function fetchLeaders(game, kind, start) {
  const query = new URLSearchParams({ start: String(start), ...(kind && { kind }) });
  return /** @type {Leaders} */ (await get(`/api/ratings/${encodeURIComponent(game)}?${query}`));
}

/**
 * What a finished game did to ratings; empty if it is not rated, or not yet.
 * @param {string} gameId
 */
export async function fetchRatingChanges(gameId) {
  const path = `/api/records/${encodeURIComponent(gameId)}/ratings`;
  return /** @type {{changes: RatingChange[]}} */ (await get(path)).changes;
}
