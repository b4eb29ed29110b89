/** The page for an address. The server answers unknown addresses with the status 404. */

const ID = "([A-Za-z0-9_-]+)";
/** Addresses and their pages, as `page_bundle.py` knows them. @type {[RegExp, string][]} */
const ROUTES = [
  [address(""), "lobby"],
  [address(`game/${ID}`), "game"],
  [address(`invite/${ID}`), "invite"],
  [address("learn"), "learn"],
  [address(`learn/${ID}`), "lesson"],
  [address("rules"), "rules"],
  [address(`rules/${ID}`), "rules"],
  [address("games"), "games"],
];

/** @param {string} path */
function address(path) {
  return new RegExp(`^/${path}/?$`);
}

/**
 * The name of the page at an address, and the id in it.
 * @param {string} path
 */
export function routeOf(path) {
  for (const [pattern, page] of ROUTES) {
    const found = pattern.exec(path);
    if (found) {
      return { page, id: found[1] ?? "" };
    }
  }
  return { page: "unknown", id: "" };
}
