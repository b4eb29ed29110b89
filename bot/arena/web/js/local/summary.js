/** A stored game without its positions, as lists show it. */

import { other } from "../shared/games.js";
import { localBot, seatedPlayer } from "./players.js";

/** @import { GameSetup, GameSummary, Player, Result } from "../shared/wire.d.ts" */
/** @import { People } from "./players.js" */
/** @import { StoredGame } from "./stored_game.js" */

/**
 * @param {StoredGame} stored
 * @param {People} people
 * @returns {GameSummary}
 */
export function summaryOf(stored, people) {
  const isPlaying = stored.result === null;
  return {
    ...{ game_id: stored.id, setup: setupOf(stored), players: playersOf(stored, people) },
    ...{ state: isPlaying ? "playing" : "finished", plies: stored.turns.length },
    ...{ result: resultOf(stored, people), tournament: null },
    ...{ created_at: stored.created_at, ended_at: isPlaying ? null : stored.changed_at },
  };
}

/** @param {StoredGame} stored @returns {GameSetup} */
export function setupOf({ setup, clock = { kind: "none" } }) {
  return { ...setup, clock, rated: false };
}

/**
 * @param {StoredGame} stored
 * @param {People} people
 * @returns {[Player, Player]}
 */
export function playersOf({ setup: { game }, seat, level, names }, { you, sideOf }) {
  if (names) {
    return [seatedPlayer(names[0], sideOf(game, 1)), seatedPlayer(names[1], sideOf(game, 2))];
  }
  const bot = localBot(level ?? 0);
  return seat === 1 ? [you, bot] : [bot, you];
}

/** What ended a game, as a server says it. @type {Record<string, string>} */
const DEEDS = { resignation: "resigned.", time_forfeit: "ran out of time." };

/**
 * @param {StoredGame} stored
 * @param {People} people
 * @returns {Result | null}
 */
export function resultOf(stored, people) {
  const { result, names } = stored;
  if (!result) {
    return null;
  }
  const { winner, reason } = result;
  const loser = winner && playersOf(stored, people)[other(winner) - 1];
  const aborted = names
    ? "Both players agreed to abort the game."
    : `${people.you.name} aborted the game.`;
  const message = reason === "aborted" ? aborted : `${loser?.name ?? ""} ${DEEDS[reason] ?? ""}`;
  return { winner, reason, unrated: null, message: message.trim() };
}
