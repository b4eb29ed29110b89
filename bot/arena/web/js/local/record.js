/** A finished game as a record, in the format of bot/records/model.py. */

import { isLocal, SEAT } from "../shared/device_games.js";

/** @import { GameState, Player } from "../shared/wire.d.ts" */

const FORMAT = "bluestone-record-1";
const PLATFORM = "page";
const SOFTWARE = "bluestone page";

/**
 * One line of a file of records.
 * @param {GameState} game a finished one
 * @param {string} ended when it ended
 */
export function recordOf(game, ended) {
  const { setup, players, turns, result, position } = game;
  return {
    ...{ format: FORMAT, id: game.game_id, platform: PLATFORM, game: setup.game },
    ...{ board: setup.board, rules: setup.rules, options: setup.options, rated: false },
    ...{ event: null, round: null, clock: setup.clock, players: players.map(playerOf) },
    turns: turns.map(({ turn, captured, time_ms, clock, info }, ply) => ({
      ...{ turn, captured, time_ms, clock, value: info?.value ?? null },
      ...{ visits: info?.visits ?? null, pv: info?.pv ?? [] },
      source: info?.source ?? (players[ply % 2]?.kind === "bot" ? null : "person"),
    })),
    result: result && { winner: result.winner, reason: result.reason, message: result.message },
    ...{ scores: position.scores, takebacks: game.takebacks ?? 0, hints: game.hints },
    ...{ started_at: game.created_at, ended_at: ended, software: SOFTWARE },
  };
}

/** The names of two people who gave none. */
const SIDES = ["Black", "White"];

/**
 * Names of this device do not depend on the language of the page.
 * @param {Player} player
 * @param {number} index
 */
function playerOf({ id, name, kind, level }, index) {
  if (id?.startsWith(SEAT)) {
    const given = id.slice(SEAT.length) || SIDES[index] || "";
    return { name: given, kind, user_id: null, engine: null, clock: null };
  }
  const engine = level && { name: `Bluestone, level ${level}`, author: null, options: {} };
  const own = level ? `Level ${level} on device` : "Person on device";
  const fixed = isLocal(id) ? own : name;
  return { name: fixed, kind, user_id: id, engine: engine || null, clock: null };
}
