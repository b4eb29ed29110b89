/** The arena's HTTP interface: facts that do not change while a page is open, and records. */

/** @typedef {import("./geometry.js").RawBoard} RawBoard */
/** @typedef {{game: string, boards: string[], board_forms: string[], rules: string[]}} GameOffer */
/** @typedef {{games: GameOffer[], clocks: {clock: import("./protocol.js").TimeControl}[]}} AnsweredGames */
/** @typedef {{games: GameOffer[], clocks: import("./protocol.js").TimeControl[]}} Offers */

/** @type {Map<string, Promise<RawBoard>>} */
const boards = new Map();

/**
 * @param {string} path
 * @returns {Promise<any>}
 */
async function get(path) {
  const response = await fetch(path, { headers: { accept: "application/json" } });
  if (!response.ok) {
    throw new Error(`${path} answered ${response.status}`);
  }
  return response.json();
}

/**
 * Where a board's cells, lines and blue stones are drawn; asked for once.
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
 * @returns {Promise<{records: import("./protocol.js").GameSummary[], next: string | null}>}
 */
export async function fetchFinished(before) {
  return get(
    before === null ? "/api/records" : `/api/records?before=${encodeURIComponent(before)}`,
  );
}
