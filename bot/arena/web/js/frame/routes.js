/** The page for an address. The server answers unknown addresses with the status 404. */

const GAME = /^\/game\/([A-Za-z0-9_-]+)\/?$/;
const TOURNAMENT = /^\/tournament\/([A-Za-z0-9_-]+)\/?$/;
/** @type {Record<string, "lobby" | "tournaments" | "new-tournament">} */
const PLAIN = {
  "/": "lobby",
  "/tournaments": "tournaments",
  "/tournaments/new": "new-tournament",
};

/**
 * @typedef {{page: "game" | "tournament", id: string}
 *   | {page: "lobby" | "tournaments" | "new-tournament" | "unknown"}} Route
 */

/**
 * @param {string} path
 * @returns {Route}
 */
export function routeOf(path) {
  const [, game] = GAME.exec(path) ?? [];
  if (game) {
    return { page: "game", id: game };
  }
  const [, tournament] = TOURNAMENT.exec(path) ?? [];
  if (tournament) {
    return { page: "tournament", id: tournament };
  }
  return { page: PLAIN[path] ?? "unknown" };
}
