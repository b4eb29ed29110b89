/** The arena's HTTP interface: facts that do not change while a page is open, and records. */

/** @import { GameSummary, TimeControl, TournamentState, TournamentSummary } from "./wire.d.ts" */

/**
 * A choice of the players: one of the words in `choices`, or else a whole number.
 * @typedef {object} GameOption
 * @property {string} name
 * @property {string} title
 * @property {string} note
 * @property {string} usual
 * @property {string[]} choices
 * @property {number | null} low
 * @property {number | null} high
 */

/**
 * @typedef {object} GameOffer
 * @property {string} game
 * @property {string} title
 * @property {string} note
 * @property {string[]} boards the usual ones
 * @property {string[]} board_forms which others there are, in words
 * @property {string[]} rules
 * @property {number} kinds
 * @property {string} score
 * @property {GameOption[]} options
 */

/** @typedef {{games: GameOffer[], clocks: {name: string, clock: TimeControl}[]}} AnsweredGames */
/** @typedef {{games: GameOffer[], clocks: TimeControl[]}} Offers */
/** @typedef {{records: GameSummary[], next: string | null}} AnsweredRecords */
/** @typedef {TournamentSummary & {created_at: string}} ListedTournament */
/** @typedef {{tournaments: ListedTournament[], next: string | null}} AnsweredTournaments */

/**
 * What GET /api/boards/{game}/{board} answers: where things are drawn (y grows downwards,
 * neighbours are about 1 apart), how many kinds of stones a player owns, what is counted, and the
 * options as they usually are.
 * @typedef {object} RawBoard
 * @property {string} name
 * @property {{name: string, x: number, y: number}[]} cells
 * @property {[number, number][]} edges
 * @property {{x: number, y: number, touches: string[]}[]} blue
 * @property {{x: number, y: number}[]} stars
 * @property {number} kinds
 * @property {string} score
 * @property {Record<string, string>} options
 */

/** @type {Map<string, Promise<RawBoard>>} */
const boards = new Map();

/**
 * @param {string} path
 * @returns {Promise<unknown>}
 */
async function get(path) {
  const response = await fetch(path, { headers: { accept: "application/json" } });
  if (!response.ok) {
    throw new Error(`${path} answered ${response.status}`);
  }
  return response.json();
}

/**
 * A game on a board: where everything is drawn, and what is counted; asked for once.
 * @param {string} game
 * @param {string} board
 */
export function fetchBoard(game, board) {
  const path = `/api/boards/${encodeURIComponent(game)}/${encodeURIComponent(board)}`;
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
 * What can be played here, and the clocks that the arena suggests.
 * @returns {Promise<Offers>}
 */
export async function fetchOffers() {
  const { games, clocks } = /** @type {AnsweredGames} */ (await get("/api/games"));
  return { games, clocks: clocks.map(({ clock }) => clock) };
}

/**
 * Finished games, the latest first, a page at a time.
 * @param {string | null} before `next` of the page before; null for the first page
 */
export async function fetchFinished(before) {
  const query = before === null ? "" : `?before=${encodeURIComponent(before)}`;
  return /** @type {AnsweredRecords} */ (await get(`/api/records${query}`));
}

/**
 * A tournament with all its rounds.
 * @param {string} id
 */
export async function fetchTournament(id) {
  const path = `/api/tournaments/${encodeURIComponent(id)}`;
  return /** @type {TournamentState} */ (await get(path));
}

/**
 * All tournaments that there ever were, the latest first, a page at a time.
 * @param {string | null} before `next` of the page before; null for the first page
 */
export async function fetchTournaments(before) {
  const query = before === null ? "" : `?before=${encodeURIComponent(before)}`;
  return /** @type {AnsweredTournaments} */ (await get(`/api/tournaments${query}`));
}
