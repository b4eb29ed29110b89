/** Ratings: what the arena says about players, and how ratings and names are shown. */

import { get } from "./api.js";
import { h } from "./dom.js";
import { t } from "./messages.js";

/** @import { Player } from "./wire.d.ts" */

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

/**
 * A rating as a text, with a question mark if it is provisional.
 * @param {{rating: number, provisional: boolean}} rating
 */
export function ratingText({ rating, provisional }) {
  return `${Math.round(rating)}${provisional ? "?" : ""}`;
}

/**
 * A player's rating in a game, after their name; null without one.
 * @param {Player | undefined} player
 * @param {string} game
 */
export function ratingMark(player, game) {
  const rating = player?.ratings?.[game];
  const title = rating?.provisional ? t("common.rating.provisional") : t("common.rating.title");
  return rating ? h("span", { class: "rating", title }, ratingText(rating)) : null;
}

/** The address of a player's page. @param {string} name */
export function playerPath(name) {
  return `/player/${encodeURIComponent(name)}`;
}

/**
 * A player's name as a link to their page.
 * @param {string} name
 * @param {string} [key]
 */
export function playerLink(name, key = `player-${name}`) {
  return h(
    "a",
    { class: "player-link", href: playerPath(name), "data-link": true, "data-key": key },
    name,
  );
}

/** A change of a rating with its sign, such as +12 or −3. @param {number} points */
export function signed(points) {
  const whole = Math.round(points);
  return whole < 0 ? `\u2212${-whole}` : `+${whole}`;
}
