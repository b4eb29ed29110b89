/** The names of players as links: to their games, unless a capability has pages of players. */

import { isLocal } from "./device_games.js";
import { h } from "./dom.js";

/** @import { Player } from "./wire.d.ts" */

let pathOf = (/** @type {string} */ name) => `/games?player=${encodeURIComponent(name)}`;

/**
 * Let the names of players lead to other pages.
 * @param {(name: string) => string} path
 */
export function linkPlayersTo(path) {
  pathOf = path;
}

/**
 * The name of a player in a game; players of this device have no page.
 * @param {Player} player
 * @param {string} key
 */
export function playerName({ id, name }, key) {
  return isLocal(id) ? h("span", {}, name) : playerLink(name, key);
}

/**
 * A player's name as a link.
 * @param {string} name
 * @param {string} [key]
 */
export function playerLink(name, key = `player-${name}`) {
  return h(
    "a",
    { class: "player-link", href: pathOf(name), "data-link": true, "data-key": key },
    name,
  );
}
