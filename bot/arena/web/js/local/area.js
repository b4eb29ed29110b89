/** What games on this device give the page: bots that need no server, and a list of the games. */

import { isLocal } from "../shared/device_games.js";
import { h } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { DeviceGames } from "./device.js";
import { gameList } from "./list.js";

/** @import { AreaParts } from "../shared/areas.js" */

const here = new DeviceGames();

/** @type {AreaParts} */
export const area = {
  pages: {},
  start: ({ session }) => here.begin(session),
  botsHere: (game) => here.bots(game),
  frontPanel: {
    words: t("outside.local.title"),
    source: ({ catalogue }) => [
      [...here.games.values()].map(({ id, revision }) => [id, revision]),
      here.person,
      catalogue.offers.games.length,
    ],
    draw: (session) => gameList(here.games, here.person, session),
    isOwn: true,
  },
  playerNotes: () => (game, seat) =>
    isLocal(game.game_id) && game.players[seat - 1]?.kind === "bot" &&
    h("span", { class: "badge" }, t("outside.local.here")),
};
