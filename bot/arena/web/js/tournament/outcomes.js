/** The results of a tournament's games, in words. */

import { pointsText } from "../shared/tournament_words.js";

/** @import { TournamentGame, TournamentPairing, TournamentRound } from "../shared/wire.d.ts" */

/** @type {Record<string, string>} */
const REASONS = {
  played_out: "",
  resignation: "by resignation",
  draw_agreement: "by agreement",
  time_forfeit: "on time",
  disconnect: "by disconnection",
  no_show: "without play",
  replaced: "by decision of the host",
};

/**
 * @param {TournamentGame} game
 * @returns {string} a few words
 */
export function outcomeWords({ state, seats, winner, reason, due_by: due }) {
  switch (state) {
    case "waiting":
      return due === null ? "Not started" : "Waiting for the players";
    case "playing":
      return "In progress";
    case "unplayed":
      return "Not played";
    case "finished":
      return finishedWords(seats, winner, reason ?? "");
  }
}

/**
 * @param {[string, string]} seats
 * @param {1 | 2 | null} winner
 * @param {string} reason
 */
function finishedWords(seats, winner, reason) {
  if (winner === null) {
    return reason === "no_show" ? "Neither player came: no points" : `Draw ${words(reason)}`.trim();
  }
  return `${seats[winner - 1]} won ${words(reason)}`.trim();
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
  const was = before ? ` (it was: ${finishedWords(seats, before.winner, before.reason)})` : "";
  return `Replaced by the host: ${replaced}${was}`;
}

/** @param {string} reason */
function words(reason) {
  return REASONS[reason] ?? reason.replaceAll("_", " ");
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
  const again = state === "unplayed" ? "" : ", and played again";
  const often = voids === 1 ? "once" : voids === 2 ? "twice" : `${voids} times`;
  return `Void ${often}${again}${why === null ? "" : `: ${why}`}`;
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
