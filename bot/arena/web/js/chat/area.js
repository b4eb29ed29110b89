/** What the chat gives the page: a panel beside a person's own game against another person. */

import { isShared } from "../shared/device_games.js";
import { other } from "../shared/games.js";

/** @import { AreaParts } from "../shared/areas.js" */

/** @type {AreaParts} */
export const area = {
  pages: {},
  playerPanel: {
    isFor: (game, seat) => !isShared(game) && game.players[other(seat) - 1]?.kind !== "bot",
    make: async (session, id) => {
      const { ChatView } = await import("./chat.js");
      return new ChatView(session, id);
    },
  },
};
