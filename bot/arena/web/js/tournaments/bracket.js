/** A knockout as a bracket: a column for each round, also for future matches. */

import { h } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { pointsText } from "../shared/tournament_words.js";
import { isSettled } from "./outcomes.js";
import { gamesOf } from "./player_name.js";

/** @import { Child } from "../shared/dom.js" */
/** @import { TournamentRound, TournamentState } from "../shared/wire.d.ts" */

/** The place of a bye is null; one that is not known yet is undefined. */
/** @typedef {string | null | undefined} Place */
/** @typedef {[Place, Place]} Match */

/**
 * @param {TournamentState} state
 * @param {TournamentRound[]} rounds the known ones
 * @returns {Child[]}
 */
export function bracket({ settings, entrants }, rounds) {
  const names = entrants.map(({ name }) => name);
  const columns = settings.format["kind"] === "knockout"
    ? single(names, rounds)
    : rounds.map((round) => ({
      title: t("common.round", { round: round.number }),
      matches: played(round),
      round,
    }));
  return [
    h(
      "div",
      { class: "bracket" },
      columns.map(({ title, matches, round }) =>
        h(
          "section",
          { class: "bracket-round", "aria-label": title },
          h("h3", {}, title),
          h("ol", {}, matches.map((match) => matchBox(match, round))),
        )
      ),
    ),
  ];
}

/**
 * All rounds of a single knockout, from the seeds and the results so far.
 * @param {string[]} names by seed
 * @param {TournamentRound[]} rounds
 */
function single(names, rounds) {
  const columns = [];
  let places = seeded(names);
  for (let number = 1; places.length > 1; number++) {
    const round = rounds.find((each) => each.number === number);
    const next = rounds.find((each) => each.number === number + 1);
    const matches = neighbours(places);
    const inTree = new Set(matches.flat());
    // A match for third place is played in the round of the final.
    const others = places.length === 2 ? played(round).filter(([one]) => !inTree.has(one)) : [];
    columns.push({
      title: titleOf(places.length, number),
      matches: [...matches, ...others],
      round,
    });
    places = matches.map((match) => winnerOf(match, round, next));
  }
  return columns;
}

/**
 * @param {number} places
 * @param {number} number
 */
function titleOf(places, number) {
  const key = { 2: "final", 4: "semifinals", 8: "quarterfinals" }[places];
  return key ? t(`tournaments.bracket.${key}`) : t("common.round", { round: number });
}

/**
 * Seeds in the order of the bracket: the first meets the last, and byes go to the first.
 * @param {string[]} names
 * @returns {Place[]}
 */
export function seeded(names) {
  let order = [0];
  while (order.length < names.length) {
    const size = 2 * order.length;
    order = order.flatMap((place) => [place, size - 1 - place]);
  }
  return order.map((place) => names[place] ?? null);
}

/**
 * @param {Place[]} places
 * @returns {Match[]}
 */
function neighbours(places) {
  return places.flatMap((place, index) =>
    index % 2 ? [] : [/** @type {Match} */ ([place, places[index + 1]])]
  );
}

/**
 * The matches of a round, each once: a tied match is paired again in the same round.
 * @param {TournamentRound | undefined} round
 * @returns {Match[]}
 */
function played(round) {
  const all = round?.pairings.map(({ players }) => players) ?? [];
  const key = (/** @type {Match} */ match) => JSON.stringify([...match].sort());
  return all.filter((match, place) =>
    all.findIndex((other) => key(other) === key(match)) === place
  );
}

/**
 * @param {Match} match
 * @param {TournamentRound | undefined} round
 * @param {TournamentRound | undefined} next
 * @returns {Place}
 */
function winnerOf([one, two], round, next) {
  if (one === null || two === null) {
    return one === null ? two : one;
  }
  const goesOn = (/** @type {Place} */ name) =>
    next?.byes.some(({ player }) => player === name) ||
    next?.pairings.some(({ players }) => players.some((each) => each === name));
  const scores = scoresOf([one, two], round);
  const [first = 0, second = 0] = scores.at(-1) ?? [];
  if (goesOn(one) !== goesOn(two)) {
    return goesOn(one) ? one : two;
  }
  return first === second ? undefined : first > second ? one : two;
}

/**
 * The points of each pairing of a match that is settled, in the order of the match.
 * @param {Match} match
 * @param {TournamentRound | undefined} round
 */
function scoresOf([one, two], round) {
  const own =
    round?.pairings.filter(({ players }) =>
      players.some((name) => name === one) && players.some((name) => name === two)
    ) ?? [];
  return own.filter(isSettled).map(({ players, score }) =>
    players[0] === one ? score : [score[1], score[0]]
  );
}

/**
 * @param {Match} match
 * @param {TournamentRound | undefined} round
 */
function matchBox(match, round) {
  const scores = scoresOf(match, round);
  const last = scores.at(-1) ?? [0, 0];
  return h(
    "li",
    { class: "match" },
    match.map((place, index) => {
      const own = scores.map((score) => pointsText(score[index] ?? 0)).join(" + ");
      const isAhead = (last[index] ?? 0) > (last[1 - index] ?? 0);
      return h(
        "div",
        { class: isAhead ? "match-side won" : "match-side" },
        place
          ? gamesOf(place)
          : h("span", { class: "quiet" }, place === null ? t("tournaments.bye") : "–"),
        h("span", {}, own),
      );
    }),
  );
}
