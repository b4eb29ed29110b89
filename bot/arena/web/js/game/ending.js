/** How a game ended, in words. */

import { hasMessage, t } from "../shared/messages.js";
import { resultTitle } from "../shared/sentences.js";

/** @import { GameTexts } from "../rules/texts.js" */
/** @import { GameSetup, GameState, Result, Seat } from "../shared/wire.d.ts" */

/** @typedef {"won" | "lost" | "draw" | "decided"} Outcome */

/**
 * @param {GameState} game
 * @param {Seat | null} seat the person's, null for a spectator
 * @returns {Outcome}
 */
export function outcome(game, seat) {
  const winner = game.result?.winner ?? null;
  if (winner === null || seat === null) {
    return winner === null ? "draw" : "decided";
  }
  return winner === seat ? "won" : "lost";
}

/**
 * @param {GameState} game
 * @param {Seat | null} seat
 */
export function headline(game, seat) {
  switch (outcome(game, seat)) {
    case "won":
      return t("common.you_won.other");
    case "lost":
      return t("game.you_lost");
    default:
      return game.result ? resultTitle(game.result, game.players.map(({ name }) => name)) : "";
  }
}

/** What a player did that ended the game, as the server says it after the name. @type {Record<string, string>} */
const DEEDS = {
  "resigned.": "resigned",
  "aborted the game.": "aborted",
  "did not play a first turn in time.": "no_first_turn",
  "ran out of time.": "out_of_time",
  "left the game.": "left",
};

/** The server's sentence for a game that both players gave up. */
const AGREED = "Both players agreed to abort the game.";

/**
 * How the game ended, in a sentence; in one about the person themselves, they are called "you". An
 * operator's words stay as they are.
 * @param {GameState} game
 * @param {Result} result
 * @param {Seat | null} seat
 */
export function message(game, result, seat) {
  if (result.reason === "draw_agreement") {
    return t("game.ended.draw_agreement");
  }
  if (result.reason === "played_out") {
    return decision(game, result, seat);
  }
  if (result.reason === "aborted" && result.message === AGREED) {
    return t("game.ended.abort_agreement");
  }
  for (const [index, { name }] of game.players.entries()) {
    const deed = result.message.startsWith(`${name} `) &&
      DEEDS[result.message.slice(name.length + 1)];
    if (deed) {
      return index + 1 === seat ? t(`game.you_did.${deed}`) : t(`game.did.${deed}`, { name });
    }
  }
  return result.message;
}

/**
 * Who won a game that was played to its end, and the scores that decided it.
 * @param {GameState} game
 * @param {Result} result
 * @param {Seat | null} seat
 */
function decision({ setup, players, position }, { winner }, seat) {
  const [one, two] = position.scores;
  const [mine, others] = winner === 2 ? [two, one] : [one, two];
  const tally = tallyWords(setup, mine, others, winner !== null);
  if (winner === null) {
    return t("game.ended.draw", { tally });
  }
  const name = players[winner - 1]?.name ?? "";
  return winner === seat
    ? t("game.ended.you_win", { tally })
    : t("game.ended.wins", { name, tally });
}

/**
 * @param {GameSetup} setup
 * @param {number[]} mine the winner's scores
 * @param {number[]} others
 * @param {boolean} isWon
 */
function tallyWords({ game, rules }, mine, others, isWon) {
  const [n = 0] = mine;
  const [own, against] = [mine.join(", "), others.join(", ")];
  const tally = hasMessage(`game.tally.${game}`)
    ? t(`game.tally.${game}`, { n, against })
    : t("game.tally.other", { own, against });
  const isTied = isWon && own === against && hasMessage(`game.tie.${game}_${rules}`);
  return isTied ? t(`game.tie.${game}_${rules}`, { tally }) : tally;
}

/**
 * What ended and decided the game; "" if `message` says that.
 * @param {GameState} game
 * @param {Result} result
 * @param {GameTexts} texts
 * @param {Seat | null} seat
 */
export function reason(game, result, texts, seat) {
  return result.reason === "played_out" ? texts.ended(game, seat) : "";
}
