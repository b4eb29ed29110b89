/** The sentence under the board: what the player must do, or what the game waits for. */

import { isShared } from "../shared/device_games.js";
import { turnsPlayed } from "../shared/games.js";
import { listed, t } from "../shared/messages.js";
import { sideTitle, stoneColour } from "../shared/sentences.js";

/** @import { GameTexts } from "../rules/texts.js" */
/** @import { GameState, Seat } from "../shared/wire.d.ts" */
/** @import { Placement } from "../shared/steps.js" */
/** @import { TurnDraft } from "./turn_draft.js" */
/** @import { TurnInput } from "./turn_input.js" */

/**
 * @typedef {object} Situation
 * @property {GameState} game
 * @property {Seat | null} seat the person's, null for a spectator
 * @property {boolean} live whether the newest position is shown
 * @property {number | null} offlineMs how long the page has been offline; null while it is connected
 * @property {number} elapsed milliseconds since the time of the state
 * @property {GameTexts} texts
 * @property {number} queued how many searches for other games come before the opponent's
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
    return plain(t("game.earlier_position"));
  }
  if (game.state === "finished") {
    return plain("");
  }
  if (offlineMs !== null) {
    return seat === game.to_play ? offlineOnMyTurn(situation, offlineMs) : offline(seat);
  }
  if (seat === null || game.to_play !== seat) {
    return seat !== null && input.hasPremove
      ? plain(premoved(seat, input.draft))
      : opponentsTurn(situation, input.draft.kinds);
  }
  const words = task(situation, seat, input);
  return plain(isShared(game) ? `${moverWords(game, seat, input.draft.kinds)} · ${words}` : words);
}

/**
 * A player as the two on one device need it: the name, with the colours.
 * @param {GameState} game
 * @param {Seat} seat
 * @param {number} kinds how many kinds of stones a player owns
 */
export function moverWords({ players }, seat, kinds) {
  const [name, side] = [players[seat - 1]?.name ?? "", sideTitle(seat, kinds)];
  return name === side ? side : `${name} (${side})`;
}

/**
 * @param {string} words
 * @returns {Prompt}
 */
function plain(words) {
  return { before: words, left: null, after: "" };
}

/**
 * @param {string} words a sentence with the place {left} of the countdown
 * @param {number} left
 * @returns {Prompt}
 */
function counting(words, left) {
  const [before = "", after = ""] = words.split("{left}");
  return { before, left, after };
}

/**
 * @param {Seat} seat
 * @param {TurnDraft} draft
 */
function premoved(seat, { stones, kinds, most }) {
  const cells = cellsOf(stones, kinds, seat);
  return stones.length < most
    ? t("game.premove.one", { cells })
    : t("game.premove.waits", { cells });
}

/** @param {Seat | null} seat */
function offline(seat) {
  return plain(seat === null ? t("game.offline.watching") : t("game.offline.not_my_turn"));
}

/**
 * @param {Situation} situation
 * @param {number} offlineMs for how long
 * @returns {Prompt}
 */
function offlineOnMyTurn({ game, elapsed }, offlineMs) {
  const { away_ms: away, first_turn_ms: first, running, players } = game.clocks;
  const clock = running !== null || first !== null ? "timed" : "untimed";
  if (away === null) {
    return plain(t(`game.offline.${clock}`));
  }
  const isMainTime = running !== null && game.setup.clock.kind !== "byoyomi";
  const main = isMainTime ? players[running - 1]?.main_ms : null;
  const left = Math.min(away - offlineMs, (first ?? main ?? Infinity) - elapsed);
  if (left <= 0) {
    return plain(t("game.offline.over"));
  }
  const end = isAbortedByAbsence(game) ? "aborted" : "forfeit";
  return counting(t(`game.offline.${clock}_${end}`, { left: "{left}" }), left);
}

/**
 * @param {Situation} situation
 * @param {number} kinds how many kinds of stones a player owns
 * @returns {Prompt}
 */
function opponentsTurn({ game, elapsed, queued }, kinds) {
  const { to_play: seat, clocks } = game;
  const values = { name: game.players[seat - 1]?.name ?? "", side: sideTitle(seat, kinds) };
  if (game.connected[seat - 1]) {
    return plain(
      queued > 0
        ? t("game.opponent.waits", { ...values, n: queued })
        : t("game.opponent.thinks", values),
    );
  }
  const { away_ms: away } = clocks;
  if (away === null) {
    return plain(t("game.opponent.away", values));
  }
  const end = isAbortedByAbsence(game) ? "aborted" : "forfeit";
  const words = t(`game.opponent.away_${end}`, { ...values, left: "{left}" });
  return counting(words, Math.max(0, away - elapsed));
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
    return t("game.sending");
  }
  if (phase === "confirming") {
    return t("game.confirm", { stones: cellsOf(draft.stones, draft.kinds, seat) });
  }
  if (mustPass) {
    return t("game.must_pass");
  }
  if (draft.stones.length > 0) {
    return texts.second;
  }
  return ply === 0 ? texts.first : texts.turn(game.setup);
}

/**
 * Stones in words.
 * @param {readonly Placement[]} stones
 * @param {number} kinds how many kinds of stones a player owns
 * @param {Seat} seat whose they are
 */
export function cellsOf(stones, kinds, seat) {
  return listed(
    stones.map(({ cell, kind }) => kinds > 1 ? `${stoneColour(seat, kind)} ${cell}` : cell),
  );
}
