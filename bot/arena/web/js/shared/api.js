/** The arena's HTTP interface: facts that do not change while a page is open, and records. */

import { t } from "./messages.js";
import { addressOf, documentPath } from "./site.js";

/** @import { GameSummary, TimeControl, TournamentRound, TournamentSummary } from "./wire.d.ts" */

/**
 * An option of a game: one of the words in `choices`, or a whole number if there are none.
 * @typedef {object} GameOption
 * @property {string} name
 * @property {string} title
 * @property {string} note
 * @property {string} usual
 * @property {string[]} choices
 * @property {number | null} low
 * @property {number | null} high
 * @property {string | null} below the name of an option whose number must be larger
 * @property {{board: string, value: string | number, word: string}[]} presets recommended values; `word` says
 *   for what
 */

/**
 * @typedef {object} GameOffer
 * @property {string} game
 * @property {string} title
 * @property {string} note
 * @property {string[]} boards the usual ones
 * @property {string[]} board_forms the others, such as `pent-N with N = 3..13`
 * @property {string[]} rules
 * @property {number} kinds
 * @property {string} score
 * @property {GameOption[]} options
 */

/** @typedef {{games: GameOffer[], clocks: {name: string, clock: TimeControl}[]}} AnsweredGames */
/** @typedef {{games: GameOffer[], clocks: TimeControl[]}} Offers */
/** @typedef {{records: GameSummary[], next: string | null}} AnsweredRecords */
/** @typedef {{rounds: TournamentRound[], next: number | null}} AnsweredRounds */
/** @typedef {TournamentSummary & {created_at: string}} ListedTournament */
/** @typedef {{tournaments: ListedTournament[], next: string | null}} AnsweredTournaments */

/**
 * How a hexagonal board without an end is drawn: the way from a cell `q:r` to the next `q` and `r`.
 * @typedef {{q: [x: number, y: number], r: [x: number, y: number]}} RawLattice
 */

/**
 * The answer of GET /api/boards/{game}/{board}: positions (y grows downwards, neighbours are about 1
 * apart), how many kinds of stones a player owns, what the score counts, and the default options.
 * A board without an end has a `lattice` instead of cells.
 * @typedef {object} RawBoard
 * @property {string} name
 * @property {{name: string, x: number, y: number}[]} cells
 * @property {[number, number][]} edges
 * @property {RawLattice} [lattice]
 * @property {{x: number, y: number, touches: string[]}[]} blue
 * @property {{x: number, y: number}[]} stars
 * @property {string[]} [dots] cells with a dot, as on boards of Go
 * @property {{text: string, x: number, y: number}[]} [labels] coordinates in the margin
 * @property {number} kinds
 * @property {string} score
 * @property {Record<string, string>} options
 */

const TOO_MANY_REQUESTS = 429;
/** The most attempts at a document while this address is over its limit of requests. */
const TRIES = 10;

/** @typedef {{boards: Record<string, RawBoard>}} AnsweredBoards */

/** @type {Map<string, Promise<RawBoard>>} */
const boards = new Map();

/**
 * The answer of this site to a request.
 * @param {string} path
 * @param {RequestInit} [options]
 * @throws {Error} with a sentence for the person if nothing can be reached
 */
export async function reach(path, options) {
  try {
    return await fetch(addressOf(path), options);
  } catch {
    throw new Error(t("common.connection.offline")); // browsers have a text in English
  }
}

/**
 * @param {string} path
 * @returns {Promise<unknown>}
 */
export async function get(path) {
  for (let tries = 1;; tries++) {
    const response = await reach(path, { headers: { accept: "application/json" } });
    if (response.status === TOO_MANY_REQUESTS && tries < TRIES) {
      await passed(Number(response.headers.get("retry-after") ?? 1));
    } else if (!response.ok) {
      throw new Error(`${path} answered ${response.status}`);
    } else {
      return response.json();
    }
  }
}

/** @param {number} seconds */
const passed = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

/**
 * The path of a document that browsers cache until the page's version changes.
 * @param {...string} names
 */
function boardsPath(...names) {
  const { build } = document.documentElement.dataset;
  const version = build === undefined ? "" : `?v=${build}`;
  return documentPath(["/api/boards", ...names.map(encodeURIComponent)].join("/") + version);
}

/**
 * Request the usual boards of a game at once, so that `fetchBoard` need not request them.
 * @param {GameOffer} offer
 */
export function fetchUsualBoards({ game, boards: names }) {
  const paths = names.map((name) => /** @type {const} */ ([name, boardsPath(game, name)]));
  const missing = paths.filter(([, path]) => !boards.has(path));
  if (missing.length < 2) {
    return;
  }
  const answer = /** @type {Promise<AnsweredBoards>} */ (get(boardsPath(game)));
  for (const [name, path] of missing) {
    const board = answer.then((all) => all.boards[name] ?? fail(`${path} is missing`));
    boards.set(path, board);
    board.catch(() => boards.delete(path));
  }
}

/**
 * @param {string} message
 * @returns {never}
 */
function fail(message) {
  throw new Error(message);
}

/**
 * A game on a board; requested once.
 * @param {string} game
 * @param {string} board
 */
export function fetchBoard(game, board) {
  const path = boardsPath(game, board);
  const known = boards.get(path);
  if (known) {
    return known;
  }
  const answer = /** @type {Promise<RawBoard>} */ (get(path));
  boards.set(path, answer);
  answer.catch(() => boards.delete(path));
  return answer;
}

/**
 * The games of this arena, and the clocks that it suggests.
 * @returns {Promise<Offers>}
 */
export async function fetchOffers() {
  const { games, clocks } = /** @type {AnsweredGames} */ (await get(documentPath("/api/games")));
  return { games, clocks: clocks.map(({ clock }) => clock) };
}

/**
 * Finished games, the latest first, one page at a time.
 * @param {string | null} before `next` of the previous page; null for the first page
 * @param {string | null} player the id of a player, for their games only
 */
export async function fetchFinished(before, player) {
  const query = new URLSearchParams();
  if (before !== null) {
    query.set("before", before);
  }
  if (player !== null) {
    query.set("player", player);
  }
  const asked = query.size ? `?${query}` : "";
  return /** @type {AnsweredRecords} */ (await get(`/api/records${asked}`));
}

/**
 * Rounds of a tournament, one page at a time, the last ones first; in order within a page.
 * @param {string} id
 * @param {number} before only rounds before this one; for the following page, `next` of this page
 */
export async function fetchRounds(id, before) {
  const path = `/api/tournaments/${encodeURIComponent(id)}/rounds?before=${before}`;
  return /** @type {AnsweredRounds} */ (await get(path));
}

/**
 * All tournaments, the latest first, one page at a time.
 * @param {string | null} before `next` of the previous page; null for the first page
 */
export async function fetchTournaments(before) {
  const query = before === null ? "" : `?before=${encodeURIComponent(before)}`;
  return /** @type {AnsweredTournaments} */ (await get(`/api/tournaments${query}`));
}
