/** What ratings give the page: a page for each player, and the leaderboards. */

import { t } from "../shared/messages.js";
import { linkPlayersTo } from "../shared/player_link.js";
import { RatingChanges } from "./rating_changes.js";

/** @import { AreaParts } from "../shared/areas.js" */

/** @type {AreaParts} */
export const area = {
  pages: {
    player: async ({ session, areas }, name) => {
      const { PlayerPage } = await import("./profile.js");
      return new PlayerPage(session, name, areas);
    },
    leaderboards: async ({ session }, game) => {
      const { LeaderboardsPage } = await import("./leaderboards.js");
      return new LeaderboardsPage(session, game);
    },
  },
  frontLinks: ({ you }) => [
    { place: 4, href: "/leaderboards", words: t("outside.ratings.menu") },
    ...(you ? [{ place: 5, href: playerPath(you.name), words: t("outside.ratings.own") }] : []),
  ],
  start: () => linkPlayersTo(playerPath),
  setupField: async (isForGame, session, areas) => {
    const { RatedField } = await import("./rated_field.js");
    return new RatedField(isForGame, session, areas);
  },
  playerNotes: (redraw) => {
    const changes = new RatingChanges(redraw);
    return (game, seat) => changes.noteOn(game, seat);
  },
};

/** The address of a player's page. @param {string} name */
function playerPath(name) {
  return `/player/${encodeURIComponent(name)}`;
}
