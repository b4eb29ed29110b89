/** The results of a tournament's games, in words. */

import { t } from "../shared/messages.js";
import { resultTitle } from "../shared/sentences.js";
import { pointsText } from "../shared/tournament_words.js";

/** @import { TournamentGame, TournamentPairing, TournamentRound } from "../shared/wire.d.ts" */

/**
 * @param {TournamentGame} game
 * @returns {string} a few words
 */
export function outcomeWords({ state, seats, winner, reason, due_by: due }) {
  switch (state) {
    case "waiting":
      return due === null ? t("tournaments.game.not_started") : t("tournaments.game.waiting");
    case "playing":
      return t("tournaments.game.playing");
    case "unplayed":
      return t("tournaments.game.unplayed");
    case "finished":
      return resultTitle({ winner, reason: reason ?? "" }, seats);
  }
}

/**
 * Why the host replaced a result, and what it was before.
 * @param {TournamentGame} game
 * @returns {string} "" if it was not replaced
 */
export function replacedWords({ seats, replaced, before }) {
  if (replaced === null) {
    return "";
  }
  return before
    ? t("tournaments.game.replaced_was", { why: replaced, result: resultTitle(before, seats) })
    : t("tournaments.game.replaced", { why: replaced });
}

/**
 * Says that a game was void and is played again, and why.
 * @param {TournamentGame} game
 * @returns {string} "" if it was never void
 */
export function voidWords({ voids, void_reason: why, state }) {
  if (voids === 0) {
    return "";
  }
  const often = voids === 1 ? "once" : voids === 2 ? "twice" : "often";
  const words = state === "unplayed"
    ? t(`tournaments.void.${often}`, { times: voids })
    : t(`tournaments.void.${often}_again`, { times: voids });
  return why === null ? words : `${words}: ${why}`;
}

/**
 * The current points of a pairing.
 * @param {TournamentPairing} pairing
 */
export function scoreText({ score: [one, two], games }) {
  const begun = games.some((game) => game.state === "finished");
  return begun ? `${pointsText(one)} : ${pointsText(two)}` : "– : –";
}

/** @param {TournamentPairing} pairing */
export function isSettled({ games, stopped }) {
  return stopped !== null ||
    games.every(({ state }) => state === "finished" || state === "unplayed");
}

/**
 * The number of the first round that is not over: some formats pair all rounds at once.
 * @param {TournamentRound[]} rounds by number
 */
export function currentRound(rounds) {
  const open = rounds.find(({ pairings }) => !pairings.every(isSettled));
  return (open ?? rounds.at(-1))?.number ?? 0;
}
