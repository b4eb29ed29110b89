/** The sentence under the board: what the player must do, or what the game waits for. */

import { turnsPlayed } from "../shared/games.js";
import { sideTitle, stoneColour } from "../shared/sentences.js";

/** @import { GameTexts } from "../rules/texts.js" */
/** @import { GameState, Seat } from "../shared/wire.d.ts" */
/** @import { TurnInput } from "./turn_input.js" */

/**
 * @typedef {object} Situation
 * @property {GameState} game
 * @property {Seat | null} seat the person's, null for a spectator
 * @property {boolean} live whether the newest position is shown
 * @property {number | null} offlineMs how long the page has been offline; null while it is connected
 * @property {number} elapsed milliseconds since the time of the state
 * @property {GameTexts} texts
 */

/**
 * A sentence around a countdown: `left` is in milliseconds, null in a sentence without one.
 * @typedef {{before: string, left: number | null, after: string}} Prompt
 */

/**
 * @param {Situation} situation
 * @param {TurnInput} input
 * @returns {Prompt}
 */
export function promptOf(situation, input) {
  const { game, seat, live, offlineMs } = situation;
  if (!live) {
    return plain("You are looking at an earlier position.");
  }
  if (game.state === "finished") {
    return plain("");
  }
  if (offlineMs !== null) {
    return seat === game.to_play ? offlineOnMyTurn(situation, offlineMs) : offline(seat);
  }
  if (seat === null || game.to_play !== seat) {
    return opponentsTurn(situation, input.draft.kinds);
  }
  return plain(task(situation, seat, input));
}

/**
 * @param {string} words
 * @returns {Prompt}
 */
function plain(words) {
  return { before: words, left: null, after: "" };
}

/** @param {Seat | null} seat */
function offline(seat) {
  const mine = seat === null ? "" : " Your clock starts when it is your turn.";
  return plain(`You're offline. Reconnecting…${mine}`);
}

/**
 * @param {Situation} situation
 * @param {number} offlineMs for how long
 * @returns {Prompt}
 */
function offlineOnMyTurn({ game, elapsed }, offlineMs) {
  const { away_ms: away, first_turn_ms: first, running, players } = game.clocks;
  const isTimed = running !== null || first !== null;
  const clock = isTimed ? " Your clock is running" : "";
  if (away === null) {
    return plain(`You're offline.${clock ? `${clock}.` : ""} Reconnecting…`);
  }
  const isMainTime = running !== null && game.setup.clock.kind !== "byoyomi";
  const main = isMainTime ? players[running - 1]?.main_ms : null;
  const left = Math.min(away - offlineMs, (first ?? main ?? Infinity) - elapsed);
  if (left <= 0) {
    return plain("You're offline, and your time to reconnect is over.");
  }
  const before = `You're offline.${clock ? `${clock}; reconnect` : " Reconnect"} within `;
  return {
    before,
    left,
    after: ` or ${isAbortedByAbsence(game) ? "the game is aborted" : "you forfeit"}.`,
  };
}

/**
 * @param {Situation} situation
 * @param {number} kinds how many kinds of stones a player owns
 * @returns {Prompt}
 */
function opponentsTurn({ game, elapsed }, kinds) {
  const { to_play: seat, clocks } = game;
  const who = `${game.players[seat - 1]?.name} (${sideTitle(seat, kinds)})`;
  if (game.connected[seat - 1]) {
    return plain(`${who} is thinking.`);
  }
  const { away_ms: away } = clocks;
  if (away === null) {
    return plain(`${who} is disconnected.`);
  }
  const consequence = isAbortedByAbsence(game) ? "The game is aborted in " : "They forfeit in ";
  return {
    before: `${who} is disconnected. ${consequence}`,
    left: Math.max(0, away - elapsed),
    after: ".",
  };
}

/**
 * Whether the game has no result if the player to move stays away.
 * @param {GameState} game
 */
function isAbortedByAbsence(game) {
  return game.tournament === null && turnsPlayed(game) < 2;
}

/**
 * @param {Situation} situation
 * @param {Seat} seat
 * @param {TurnInput} input
 */
function task({ game, texts }, seat, { phase, draft, mustPass, ply }) {
  if (phase === "sending") {
    return "Sending your turn.";
  }
  if (phase === "confirming") {
    const stones = draft.stones.map(({ cell, kind }) =>
      draft.kinds > 1 ? `${stoneColour(seat, kind)} ${cell}` : cell
    );
    return `Play ${stones.join(" and ")}?`;
  }
  if (mustPass) {
    return "You have no legal move: pass.";
  }
  if (draft.stones.length > 0) {
    return texts.second;
  }
  return ply === 0 ? texts.first : texts.turn(game.setup);
}
