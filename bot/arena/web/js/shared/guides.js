/** The games that have a lesson and pictured rules, and links to these pages. */

import { h } from "./dom.js";
import { here } from "./site.js";

/** @import { Attributes, Child } from "./dom.js" */

/** The games that have a lesson, in the order of the page, with their titles. @type {Record<string, string>} */
export const TITLES = {
  bluestone: "Bluestone",
  blooms: "Blooms",
  stargazers: "Stargazers",
  hexo: "HeXO",
  freego: "Free Go",
};
export const TAUGHT = Object.keys(TITLES);

/**
 * @param {"learn" | "rules"} page
 * @param {string} game
 * @param {Child} text
 * @param {Attributes} [attributes]
 * @returns {HTMLElement | null} null if the game has no such page
 */
export function guideLink(page, game, text, attributes = {}) {
  if (!TAUGHT.includes(game)) {
    return null;
  }
  // Nobody should lose a running game out of sight.
  const inGame = here().startsWith("/game/");
  const target = inGame ? { target: "_blank" } : { "data-link": true };
  return h("a", { href: `/${page}/${game}`, ...target, ...attributes }, text);
}
