/** A game on this device begins, against a bot or between two people. */

import { LOCAL } from "../shared/device_games.js";
import { levelOf, namesIn } from "./players.js";
import { refuseIf } from "./refusals.js";
import { isClock, LONGEST_NAME } from "./stored_game.js";
import { summaryOf } from "./summary.js";

/** @import { Challenge, CreateChallenge, OfferedSetup } from "../shared/wire.d.ts" */
/** @import { People } from "./players.js" */
/** @import { StoredGame } from "./stored_game.js" */

/**
 * A new game.
 * @param {CreateChallenge} asked
 * @param {Date} now
 * @param {() => number} random from 0 to below 1
 * @returns {StoredGame}
 * @throws {Refused} it has no clock that can run
 */
export function newGame(asked, now, random) {
  const at = now.toISOString();
  return {
    ...{ version: 1, id: LOCAL + newId(random), revision: 1, setup: settled(asked.setup) },
    ...(namesIn(asked.seats) ? ofTwo(asked) : withBot(asked, random)),
    ...{ turns: [], takebacks: 0, hints: 0, result: null, created_at: at, changed_at: at },
  };
}

/**
 * Against a bot there is no clock.
 * @param {CreateChallenge} asked
 * @param {() => number} random
 * @returns {Pick<StoredGame, "seat" | "level">}
 */
function withBot({ seats, random_seats: isRandom = false }, random) {
  const bot = seats.findIndex((name) => levelOf(name) > 0);
  const isFirst = isRandom ? random() < 0.5 : bot === 1;
  return { seat: isFirst ? 1 : 2, level: levelOf(seats[bot] ?? null) };
}

/**
 * @param {CreateChallenge} asked
 * @returns {Pick<StoredGame, "seat" | "level" | "names" | "clock">}
 */
function ofTwo({ seats, setup: { clock } }) {
  const [one = "", two = ""] = namesIn(seats) ?? [];
  refuseIf(!isClock(clock), "invalid");
  const names = /** @type {const} */ ([one.slice(0, LONGEST_NAME), two.slice(0, LONGEST_NAME)]);
  return { seat: null, level: null, names: [...names], clock };
}

/**
 * What is played.
 * @param {OfferedSetup} setup
 * @returns {StoredGame["setup"]}
 */
function settled({ game = "", board, rules, options = {} }) {
  const texts = Object.entries(options).map(([name, value]) => [name, String(value)]);
  return { game, board: board ?? "", rules: rules ?? "", options: Object.fromEntries(texts) };
}

/** @param {() => number} random */
function newId(random) {
  return Array.from({ length: 12 }, () => Math.floor(random() * 36).toString(36)).join("");
}

/**
 * The challenge that has started a game.
 * @param {StoredGame} stored
 * @param {People} people
 * @returns {Challenge}
 */
export function challengeOf(stored, people) {
  const { players: [one, two], setup } = summaryOf(stored, people);
  const { id, created_at: at } = stored;
  const creator = people.you;
  return {
    ...{ v: 1, challenge_id: id, creator, setup, seats: [one.name, two.name] },
    ...{ random_seats: false, private: false, accepted: [creator.name], state: "started" },
    ...{ code: null, message: null, instead: null, game_id: id, created_at: at, expires_at: at },
  };
}
