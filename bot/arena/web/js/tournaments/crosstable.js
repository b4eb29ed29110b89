/** A table of all players against each other; if not all of them meet, a table of their rounds. */

import { h } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { pointsText } from "../shared/tournament_words.js";
import { isSettled } from "./outcomes.js";
import { gamesOf } from "./player_name.js";

/** @import { Child } from "../shared/dom.js" */
/** @import { TournamentGame, TournamentPairing, TournamentRound, TournamentState } from "../shared/wire.d.ts" */

/** With more players, a table of all against each other is too wide to read. */
const MOST_SQUARE = 24;
const SQUARE = ["round-robin", "gauntlet", "free-for-all"];

/** The players by rank, the known rounds, and the person's name. */
/** @typedef {{names: string[], rounds: TournamentRound[], me: string | undefined}} Source */

/**
 * @param {TournamentState} state
 * @param {TournamentRound[]} rounds
 * @param {string | undefined} me
 * @returns {Child[]} nothing before the first round
 */
export function crosstable({ standings, settings }, rounds, me) {
  if (standings.length === 0 || rounds.length === 0) {
    return [];
  }
  const names = standings.map((row) => row.player);
  const isSquare = SQUARE.includes(settings.format["kind"] ?? "") && names.length <= MOST_SQUARE;
  const source = { names, rounds, me };
  const key = t("tournaments.crosstable.key");
  return isSquare ? [square(source)] : [byRounds(source), h("p", { class: "key quiet" }, key)];
}

/** @param {Source} source */
function square(source) {
  const { names, rounds } = source;
  const met = scores(rounds);
  const played = gamesBetween(rounds);
  const heads = names.map((name, place) =>
    h("th", { scope: "col" }, h("abbr", { title: name }, place + 1))
  );
  return table(source, heads, (name) =>
    names.map((other) => {
      const own = met.get(name)?.get(other);
      const isSelf = name === other;
      const text = isSelf ? "" : own === undefined ? "·" : pointsText(own);
      const games = isSelf ? [] : played.get(name)?.get(other) ?? [];
      return h("td", { class: isSelf ? "self" : null }, linked(text, games));
    }));
}

/**
 * The games of each player against each other.
 * @param {TournamentRound[]} rounds
 */
function gamesBetween(rounds) {
  /** @type {Map<string, Map<string, TournamentGame[]>>} */
  const all = new Map();
  for (const { players: [one, two], games } of pairingsOf(rounds)) {
    noteGames(all, one, two, games);
    noteGames(all, two, one, games);
  }
  return all;
}

/**
 * @param {Map<string, Map<string, TournamentGame[]>>} all
 * @param {string} name
 * @param {string} other
 * @param {TournamentGame[]} games
 */
function noteGames(all, name, other, games) {
  const row = all.get(name) ?? new Map();
  row.set(other, [...row.get(other) ?? [], ...games]);
  all.set(name, row);
}

/**
 * The text of a cell as a link to its first game, and numbers as links to the others.
 * @param {string} text
 * @param {TournamentGame[]} games
 * @returns {Child[]}
 */
function linked(text, games) {
  const known = games.filter(({ game_id: id }) => id !== null);
  const link = (/** @type {TournamentGame} */ game, /** @type {string} */ words) => {
    const [one, two] = game.seats;
    const label = t("tournaments.crosstable.game", { words, number: game.number, one, two });
    const href = `/game/${game.game_id}`;
    return h("a", { href, "data-link": true, "aria-label": label, title: label }, words);
  };
  const [first, ...more] = known;
  return [
    first ? link(first, text) : text,
    ...more.flatMap((game, index) => [" ", h("sup", {}, link(game, String(index + 2)))]),
  ];
}

/**
 * The points of each player against each other.
 * @param {TournamentRound[]} rounds
 */
export function scores(rounds) {
  /** @type {Map<string, Map<string, number>>} */
  const met = new Map();
  for (const { players: [one, two], score } of pairingsOf(rounds)) {
    add(met, one, two, score[0]);
    add(met, two, one, score[1]);
  }
  return met;
}

/**
 * The pairings that have a finished game.
 * @param {TournamentRound[]} rounds
 */
function pairingsOf(rounds) {
  const all = rounds.flatMap((round) => round.pairings);
  return all.filter(({ games }) => games.some(({ state }) => state === "finished"));
}

/**
 * @param {Map<string, Map<string, number>>} met
 * @param {string} one
 * @param {string} two
 * @param {number} points
 */
function add(met, one, two, points) {
  const row = met.get(one) ?? new Map();
  row.set(two, (row.get(two) ?? 0) + points);
  met.set(one, row);
}

/** @param {Source} source */
function byRounds(source) {
  const { names, rounds } = source;
  const rank = new Map(names.map((name, place) => [name, place + 1]));
  const heads = rounds.map(({ number }) =>
    h("th", { scope: "col" }, h("abbr", { title: t("common.round", { round: number }) }, number))
  );
  return table(
    source,
    heads,
    (name) => rounds.map((round) => h("td", {}, meeting(round, name, rank))),
  );
}

/**
 * A player's cell for a round: the opponent's place, and the points.
 * @param {TournamentRound} round
 * @param {string} name
 * @param {Map<string, number>} rank
 * @returns {Child}
 */
function meeting({ pairings, byes }, name, rank) {
  const bye = byes.find(({ player }) => player === name);
  if (bye) {
    return h("span", {}, t("tournaments.crosstable.bye", { points: pointsText(bye.points) }));
  }
  // A tied match of a knockout is paired again in the same round.
  const own = pairings.filter(({ players }) => players.includes(name));
  const [first] = own;
  if (!first) {
    return "·";
  }
  const [one, two] = first.players;
  const other = one === name ? two : one;
  const against = h(
    "span",
    { class: "hidden-visually" },
    ` ${t("tournaments.crosstable.against", { name: other })}`,
  );
  const points = own.map((pairing) => pointsOf(pairing, name)).join(" + ");
  const games = own.flatMap((pairing) => pairing.games);
  const text = `${points} (#${rank.get(other) ?? "?"})`;
  return h("span", { title: other }, ...linked(text, games), against);
}

/**
 * @param {TournamentPairing} pairing
 * @param {string} name
 */
function pointsOf(pairing, name) {
  const points = pairing.score[pairing.players[0] === name ? 0 : 1];
  return isSettled(pairing) ? pointsText(points) : "…";
}

/**
 * @param {Source} source
 * @param {Child[]} heads
 * @param {(name: string) => Child[]} cells
 */
function table({ names, me }, heads, cells) {
  const rows = names.map((name, place) =>
    h(
      "tr",
      { class: name === me ? "own" : null },
      h("td", { class: "rank" }, place + 1),
      h("th", { scope: "row", class: "name" }, gamesOf(name)),
      cells(name),
    )
  );
  const corner = [
    h(
      "th",
      { scope: "col", class: "rank" },
      h("abbr", { title: t("tournaments.crosstable.place") }, "#"),
    ),
    h("th", { scope: "col", class: "name" }, t("tournaments.player")),
  ];
  return h(
    "table",
    { class: "crosstable" },
    h("caption", { class: "hidden-visually" }, t("tournaments.crosstable.title")),
    h("thead", {}, h("tr", {}, corner, heads)),
    h("tbody", {}, rows),
  );
}
