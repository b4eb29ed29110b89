/** What ratings give the page: a page for each player, and the leaderboards. */

import { t } from "../shared/messages.js";
import { playerPath } from "../shared/ratings.js";

/** @import { AreaParts } from "../shared/areas.js" */

/** @type {AreaParts} */
export const area = {
  pages: {
    player: async ({ session }, name) => {
      const { PlayerPage } = await import("./profile.js");
      return new PlayerPage(session, name);
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
};
