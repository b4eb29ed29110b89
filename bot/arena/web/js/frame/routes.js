/** Which page an address means; the server answers every other address with the status 404. */

const GAME = /^\/game\/([A-Za-z0-9_-]+)\/?$/;

/**
 * @typedef {{page: "lobby"} | {page: "game", id: string} | {page: "unknown"}} Route
 */

/**
 * @param {string} path
 * @returns {Route}
 */
export function routeOf(path) {
  const [, id] = GAME.exec(path) ?? [];
  if (id) {
    return { page: "game", id };
  }
  return { page: path === "/" ? "lobby" : "unknown" };
}
