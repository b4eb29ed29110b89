/** A game as this device keeps it. Its turns say everything else about its positions. */

import { LOCAL } from "../shared/device_games.js";

/** @import { GameSetup, Seat, TurnInfo } from "../shared/wire.d.ts" */

/** @typedef {Pick<GameSetup, "game" | "board" | "rules" | "options">} StoredSetup */

/** @typedef {{turn: string, time_ms: number, info: TurnInfo | null}} StoredTurn */
/** @typedef {{winner: Seat | null, reason: "played_out" | "resignation" | "aborted"}} StoredResult */

/**
 * @typedef {object} StoredGame
 * @property {1} version
 * @property {string} id
 * @property {number} revision increases by one with every change
 * @property {StoredSetup} setup
 * @property {Seat} seat the person's
 * @property {number} level of the bot
 * @property {StoredTurn[]} turns
 * @property {number} takebacks
 * @property {number} hints
 * @property {StoredResult | null} result
 * @property {string} created_at
 * @property {string} changed_at
 * @property {string} [added] the id of the game on the server, once it is among the person's games there
 */

const VERSION = 1;
const REASONS = ["played_out", "resignation", "aborted"];
const LEVELS = 10;
/** Longer than any turn. */
const LONGEST_TURN = 100;
const MOST_TURNS = 10_000;
/** The most turns of a game that a server adds to a person's games. */
const MOST_ADDED_TURNS = 600;

/**
 * What was read as a game; null if it is none: another version of the page may have written it.
 * @param {unknown} value
 * @returns {StoredGame | null}
 */
export function readGame(value) {
  const game = /** @type {StoredGame} */ (value);
  return isObject(value) && game.version === VERSION && isGame(game) ? game : null;
}

/**
 * Whether a game may be added to the person's games on the server, and is not there yet.
 * @param {StoredGame} game
 */
export function isAddable({ result, turns, added }) {
  return result !== null && result.reason !== "aborted" && added === undefined &&
    turns.length > 0 && turns.length <= MOST_ADDED_TURNS;
}

/** @param {StoredGame} game */
function isGame({ id, revision, setup, seat, level, turns, takebacks, hints, result, ...rest }) {
  return typeof id === "string" && id.startsWith(LOCAL) && isCount(revision) && isSetup(setup) &&
    isSeat(seat) && isCount(level) && level >= 1 && level <= LEVELS &&
    Array.isArray(turns) && turns.length <= MOST_TURNS && turns.every(isTurn) &&
    isCount(takebacks) && isCount(hints) && (result === null || isResult(result)) &&
    ["string", "undefined"].includes(typeof rest.added) &&
    [rest.created_at, rest.changed_at].every((each) => !Number.isNaN(Date.parse(each)));
}

/** @param {StoredSetup} setup */
function isSetup(setup) {
  const { game, board, rules, options } = setup ?? {};
  const words = [game, board, rules];
  return words.every((each) => typeof each === "string") && isObject(options) &&
    Object.values(options).every((each) => typeof each === "string");
}

/** @param {StoredTurn} stored */
function isTurn(stored) {
  const { turn, time_ms: time, info } = stored ?? {};
  return typeof turn === "string" && turn.length <= LONGEST_TURN && isCount(time) &&
    (info === null || (isObject(info) && Array.isArray(info.pv)));
}

/** @param {StoredResult} result */
function isResult(result) {
  return isObject(result) && REASONS.includes(result.reason) &&
    (result.winner === null || isSeat(result.winner));
}

/** @param {unknown} value */
function isObject(value) {
  return typeof value === "object" && value !== null;
}

/** @param {unknown} value */
function isCount(value) {
  return Number.isInteger(value) && Number(value) >= 0;
}

/** @param {unknown} value */
function isSeat(value) {
  return value === 1 || value === 2;
}
