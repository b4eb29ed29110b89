/** What games on this device give the page: bots that need no server, and a list of the games. */

import { isLocal } from "../shared/device_games.js";
import { h } from "../shared/dom.js";
import { loadPart } from "../shared/loading.js";
import { loadMessages, t } from "../shared/messages.js";
import { DeviceGames } from "./device.js";
import { gameList } from "./list.js";

/** @import { AreaParts } from "../shared/areas.js" */
/** @import { GameState } from "../shared/wire.d.ts" */

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
  share: (game) => isLocal(game.game_id) ? share(game) : null,
  playerNotes: () => (game, seat) =>
    isLocal(game.game_id) && game.players[seat - 1]?.kind === "bot" &&
    h("span", { class: "badge" }, t("outside.local.here")),
};

/**
 * Files instead of links, which nobody else could open.
 * @param {GameState} game
 */
async function share(game) {
  const parts = () => Promise.all([import("./files.js"), loadMessages("local")]);
  const [files] = (await loadPart(parts)) ?? [];
  await files?.openFiles(game, here.games.get(game.game_id)?.changed_at ?? game.created_at);
}
