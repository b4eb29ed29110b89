/** The page for an address. The server answers unknown addresses with the status 404. */

const ID = "([A-Za-z0-9_-]+)";
/** A player's name, encoded. */
const NAME = "([A-Za-z0-9%_.-]+)";
/** Addresses and their pages, as `page_bundle.py` knows them. @type {[RegExp, string][]} */
const ROUTES = [
  [address(""), "lobby"],
  [address(`game/${ID}`), "game"],
  [address(`invite/${ID}`), "invite"],
  [address(`tournament/${ID}`), "tournament"],
  [address("tournaments"), "tournaments"],
  [address("tournaments/new"), "new-tournament"],
  [address("account"), "account"],
  [address("learn"), "learn"],
  [address(`learn/${ID}`), "lesson"],
  [address("rules"), "rules"],
  [address(`rules/${ID}`), "rules"],
  [address("games"), "games"],
  [address(`openings/${ID}`), "openings"],
  [address(`player/${NAME}`), "player"],
  [address("leaderboards"), "leaderboards"],
  [address("leaderboards/([a-z]+)"), "leaderboards"],
  [address("analysis"), "analysis"],
  [address(`analysis/${ID}`), "analysis"],
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
