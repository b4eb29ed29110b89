/** How many games wait for this person: in the tab's title, and on the icon of an installed app. */

import { seatOf } from "../shared/games.js";

/** @import { Session } from "../shared/session.js" */

/**
 * The person's running games in which they are to move.
 * @param {Session} session
 */
export function gamesToMove({ games, myGames, you }) {
  return myGames.filter(({ game_id: id }) => {
    const state = games.get(id);
    return state !== undefined && state.state === "playing" && seatOf(state, you) === state.to_play;
  });
}

/**
 * A title with the number of games that wait in front.
 * @param {string} title
 * @param {number} count
 */
export function countedTitle(title, count) {
  return count > 0 ? `(${count}) ${title}` : title;
}

/** What the badge shows. @type {number | null} */
let badge = null;

/** @param {number} count */
export function showBadge(count) {
  if (count !== badge) {
    badge = count;
    // Only installed apps have one; a browser may refuse it.
    navigator.setAppBadge?.(count).catch(() => undefined);
  }
}
