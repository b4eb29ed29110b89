/** The arena's HTTP interface: facts that do not change while a page is open, and records. */

/** @typedef {import("./geometry.js").RawBoard} RawBoard */
/** @typedef {{game: string, boards: string[], rules: string[]}} GameOffer */

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

/** @returns {Promise<GameOffer[]>} */
export async function fetchGames() {
  return (await get("/api/games")).games;
}
