/** Adds finished games of this device to the person's games on the server. */

import { Refused } from "../shared/protocol.js";

/** @import { AddGame } from "../shared/wire.d.ts" */
/** @import { GameWithBot } from "./addable.js" */

/** Many games cost more than the server allows at once; then each waits so long. */
const PAUSE_MS = 2_000;
const MOST_PAUSES = 60;
/** Codes of refusals that say nothing about the game: the next one would be refused too. */
const OF_ALL = ["too_many", "rate_limited", "unknown_event", "not_a_person", "blocked"];

/**
 * Add games one after the other. A game that was added before is the same game.
 * @param {readonly GameWithBot[]} games
 * @param {(game: Omit<AddGame, "v">) => Promise<string>} send gives the id on the server
 * @param {(id: string, added: string) => Promise<void>} note writes down that the server has a game
 * @param {(ms: number) => Promise<unknown>} [pause]
 * @returns how many were added, and what failed last
 */
export async function addGames(games, send, note, pause = sleep) {
  let added = 0;
  /** @type {unknown} */
  let failure = null;
  for (const game of games) {
    try {
      await note(game.id, await patiently(() => send(sentAs(game)), pause));
      added += 1;
    } catch (error) {
      failure = error;
      if (!(error instanceof Refused) || error.undelivered || OF_ALL.includes(error.code)) {
        break;
      }
    }
  }
  return { added, failure };
}

/**
 * @template T
 * @param {() => Promise<T>} send
 * @param {(ms: number) => Promise<unknown>} pause
 */
async function patiently(send, pause) {
  for (let pauses = 0;; pauses += 1) {
    try {
      return await send();
    } catch (error) {
      const isLate = error instanceof Refused && error.code === "rate_limited";
      if (!isLate || pauses === MOST_PAUSES) {
        throw error;
      }
      await pause(PAUSE_MS);
    }
  }
}

/**
 * A game as the server takes it. It finds the result itself.
 * @param {GameWithBot} game
 * @returns {Omit<AddGame, "v">}
 */
export function sentAs({ id, setup, seat, level, turns, takebacks, hints, result, ...times }) {
  return {
    ...{ local_id: id, setup, seat, level, takebacks, hints },
    turns: turns.map(({ turn }) => turn),
    times_ms: turns.map(({ time_ms: ms }) => ms),
    resigned: result?.reason === "resignation",
    ...{ started_at: times.created_at, ended_at: times.changed_at },
  };
}

/** @param {number} ms */
function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
