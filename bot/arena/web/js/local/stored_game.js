/** A game as this device keeps it. Its turns say everything else about its positions. */

import { LOCAL } from "../shared/device_games.js";

/** @import { GameSetup, Seat, TimeControl, TurnInfo } from "../shared/wire.d.ts" */

/** @typedef {Pick<GameSetup, "game" | "board" | "rules" | "options">} StoredSetup */

/** @typedef {{turn: string, time_ms: number, info: TurnInfo | null}} StoredTurn */
/**
 * @typedef {object} StoredResult
 * @property {Seat | null} winner
 * @property {"played_out" | "resignation" | "aborted" | "draw_agreement" | "time_forfeit"} reason
 */

/**
 * @typedef {object} StoredGame
 * @property {1} version
 * @property {string} id
 * @property {number} revision increases by one with every change
 * @property {StoredSetup} setup
 * @property {Seat | null} seat the person's who plays alone; null for two people
 * @property {number | null} level of the bot; null for two people
 * @property {[string, string]} [names] of two people, by seat; "" is the name of the colours
 * @property {TimeControl} [clock] of two people; by default none
 * @property {StoredTurn[]} turns
 * @property {number} takebacks
 * @property {number} hints
 * @property {StoredResult | null} result
 * @property {string} created_at
 * @property {string} changed_at
 * @property {string} [added] the id of the game on the server, once it is among the person's games there
 */

const VERSION = 1;
const REASONS = ["played_out", "resignation", "aborted", "draw_agreement", "time_forfeit"];
/** Of two people, as on a server. */
export const LONGEST_NAME = 24;
/** The figures of each kind of clock. @type {Record<string, string[]>} */
const CLOCKS = {
  ...{
    none: [],
    fischer: ["initial_s", "increment_s"],
    byoyomi: ["main_s", "period_s", "periods"],
  },
  ...{ per_turn: ["turn_s"], absolute: ["initial_s"] },
  correspondence: ["initial_s", "increment_s", "maximum_s"],
};
const LEVELS = 10;
/** Longer than any turn. */
const LONGEST_TURN = 100;
const MOST_TURNS = 10_000;

/**
 * What was read as a game; null if it is none: another version of the page may have written it.
 * @param {unknown} value
 * @returns {StoredGame | null}
 */
export function readGame(value) {
  const game = /** @type {StoredGame} */ (value);
  return isObject(value) && game.version === VERSION && isGame(game) ? game : null;
}

/** @param {StoredGame} game */
function isGame({ id, revision, setup, turns, takebacks, hints, result, ...rest }) {
  return typeof id === "string" && id.startsWith(LOCAL) && isCount(revision) && isSetup(setup) &&
    (rest.names === undefined ? isWithBot(rest) : isOfTwo(rest)) &&
    Array.isArray(turns) && turns.length <= MOST_TURNS && turns.every(isTurn) &&
    isCount(takebacks) && isCount(hints) && (result === null || isResult(result)) &&
    ["string", "undefined"].includes(typeof rest.added) &&
    [rest.created_at, rest.changed_at].every((each) => !Number.isNaN(Date.parse(each)));
}

/** @param {Pick<StoredGame, "seat" | "level" | "clock">} game */
function isWithBot({ seat, level, clock }) {
  return isSeat(seat) && isCount(level) && Number(level) >= 1 && Number(level) <= LEVELS &&
    clock === undefined;
}

/** @param {Pick<StoredGame, "seat" | "level" | "names" | "clock">} game */
function isOfTwo({ seat, level, names, clock = { kind: "none" } }) {
  return seat === null && level === null && Array.isArray(names) && names.length === 2 &&
    names.every((name) => typeof name === "string" && name.length <= LONGEST_NAME) &&
    isClock(clock);
}

/** Whether a clock can run. @param {TimeControl} clock */
export function isClock(clock) {
  const figures = isObject(clock) && Object.hasOwn(CLOCKS, clock.kind) && CLOCKS[clock.kind];
  const values = /** @type {Record<string, unknown>} */ (/** @type {unknown} */ (clock));
  return figures !== false && figures !== undefined &&
    figures.every((name) => Number.isFinite(values[name]) && Number(values[name]) >= 0);
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
