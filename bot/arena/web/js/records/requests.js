/** Finished games, positions and openings over HTTP. */

import { keyHeader } from "../shared/guest_key.js";
import { reach } from "../shared/api.js";

/** @import { GameSetup, GameSummary, Player, PositionView, Result } from "../shared/wire.d.ts" */

/**
 * What games are searched for, by the names of the query; a missing one is left open.
 * @typedef {Partial<Record<"player" | "opponent" | "game" | "board" | "result" | "rated" | "since" | "until", string>>} Filters
 */

/**
 * What is played; the usual board, rules and options where they are missing.
 * @typedef {{game: string, board?: string | null, rules?: string | null, options?: Record<string, string>}} Played
 */

/** @typedef {{records: GameSummary[], next: string | null}} Found */

/**
 * A game with its turns as texts; `result` is null while it is played.
 * @typedef {object} Facts
 * @property {string} game_id
 * @property {GameSetup} setup
 * @property {[Player, Player]} players
 * @property {string[]} turns
 * @property {Result | null} result
 */

/**
 * A turn that was played in a position; `wins` counts the games that the first and the second player
 * won, `latest` is the id of the latest game.
 * @typedef {object} OpeningTurn
 * @property {string} turn
 * @property {number} games
 * @property {[number, number]} wins
 * @property {number} draws
 * @property {string} latest
 */

/** @typedef {{games: number, turns: OpeningTurn[], most_turns: number}} Openings */

/** @type {(keyof Filters)[]} */
export const FILTERS = [
  "player",
  "opponent",
  "game",
  "board",
  "result",
  "rated",
  "since",
  "until",
];

/**
 * @template T
 * @param {string} path
 * @param {Record<string, string>} [headers]
 * @returns {Promise<T>} rejected with the server's sentence
 */
async function get(path, headers = {}) {
  const response = await reach(path, {
    headers: { accept: "application/json", ...headers },
  });
  const answer = await response.json().catch(() => null);
  if (!response.ok) {
    throw new Error(answer?.message ?? `${response.status} ${response.statusText}`);
  }
  return answer;
}

/**
 * The filters that have a value, as a query.
 * @param {Filters} filters
 */
export function queryOf(filters) {
  const query = new URLSearchParams();
  for (const name of FILTERS) {
    const value = filters[name];
    if (value) {
      query.set(name, value);
    }
  }
  return query;
}

/**
 * The filters as the server takes them: the person's days become moments.
 * @param {Filters} filters
 */
export function serverQuery(filters) {
  const query = queryOf(filters);
  const { since, until } = filters;
  const from = since && startOfDay(since, 0);
  const to = until && startOfDay(until, 1);
  from && query.set("since", from);
  to && query.set("until", to);
  return query;
}

/**
 * When a day of the person's calendar begins; null if it is no day.
 * @param {string} day such as `2026-01-31`
 * @param {number} later by how many days
 */
function startOfDay(day, later) {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? [];
  return year
    ? new Date(Number(year), Number(month) - 1, Number(date) + later).toISOString()
    : null;
}

/** @param {string} search of an address @returns {Filters} */
export function filtersIn(search) {
  const query = new URLSearchParams(search);
  return Object.fromEntries(
    FILTERS.flatMap((name) => {
      const value = query.get(name)?.slice(0, 80);
      return value ? [[name, value]] : [];
    }),
  );
}

/**
 * Games that are found, the latest first, one page at a time.
 * @param {Filters} filters
 * @param {string | null} before `next` of the previous page; null for the first page
 * @returns {Promise<Found>}
 */
export function searchGames(filters, before) {
  const query = serverQuery(filters);
  if (before !== null) {
    query.set("before", before);
  }
  return get(`/api/records?${query}`);
}

/** @param {string} id @returns {Promise<Facts>} */
export function fetchFacts(id) {
  return get(`/api/games/${encodeURIComponent(id)}`);
}

/**
 * @param {string} id
 * @param {number} ply
 * @returns {Promise<PositionView>}
 */
export function fetchPositionOf(id, ply) {
  return get(`/api/games/${encodeURIComponent(id)}/position?ply=${ply}`);
}

/**
 * A setup and turns as the server's addresses of positions and openings take them.
 * @param {Played} played
 * @param {readonly string[]} turns
 */
export function positionQuery({ game, board, rules, options }, turns) {
  const query = new URLSearchParams({ game });
  board && query.set("board", board);
  rules && query.set("rules", rules);
  Object.entries(options ?? {}).forEach(([name, value]) => query.set(`o.${name}`, value));
  turns.length && query.set("turns", turns.join(" "));
  return query;
}

/**
 * @param {URLSearchParams} query
 * @param {number} [ply]
 * @returns {Promise<PositionView>}
 */
export function fetchPosition(query, ply) {
  return get(`/api/position?${query}${ply === undefined ? "" : `&ply=${ply}`}`);
}

/**
 * @param {Played} played
 * @param {readonly string[]} turns
 * @returns {Promise<Openings>}
 */
export function fetchOpenings(played, turns) {
  return get(`/api/openings?${positionQuery(played, turns)}`, keyHeader());
}
