/** What tournaments give the page. */

import { t } from "../shared/messages.js";
import { tournamentsInShort } from "./short_list.js";

/** @import { AreaParts } from "../shared/areas.js" */

/** @type {AreaParts} */
export const area = {
  pages: {
    tournament: async ({ session }, id) => {
      const { TournamentPage } = await import("./page.js");
      return new TournamentPage(session, id);
    },
    tournaments: async ({ session }) => {
      const { TournamentsPage } = await import("./list_page.js");
      return new TournamentsPage(session);
    },
    "new-tournament": async ({ session, go, areas }) => {
      const { NewTournamentPage } = await import("./new_page.js");
      return new NewTournamentPage(session, go, areas);
    },
  },
  frontPanel: {
    words: t("outside.tournaments.menu"),
    source: ({ lobby, mayHost }) => [lobby === null, lobby?.tournaments, mayHost],
    draw: tournamentsInShort,
  },
};
