/** What games on this device give the page: bots that need no server, and a list of the games. */

import { isLocal } from "../shared/device_games.js";
import { h } from "../shared/dom.js";
import { loadPart } from "../shared/loading.js";
import { loadMessages, t } from "../shared/messages.js";
import { AddOffers } from "./add_offers.js";
import { DeviceGames } from "./device.js";
import { gameList } from "./list.js";

/** @import { AreaParts } from "../shared/areas.js" */
/** @import { Session } from "../shared/session.js" */
/** @import { GameSetup, GameState } from "../shared/wire.d.ts" */

const here = new DeviceGames();
const offers = new AddOffers(here);

/** @type {AreaParts} */
export const area = {
  pages: {},
  start: ({ session }) => {
    here.begin(session);
    offers.begin(session);
  },
  botsHere: (game) => here.bots(game),
  startHere: (game, session, chosen) => here.plays(game) && startButton(session, chosen),
  frontPanel: {
    words: t("outside.local.title"),
    source: ({ catalogue }) => [
      [...here.games.values()].map(({ id, revision }) => [id, revision]),
      here.person,
      catalogue.offers.games.length,
      offers.isAdding,
    ],
    draw: (session) => gameList(here.games, here.people, session, offers.ofAll()),
    isOwn: true,
  },
  share: (game) => isLocal(game.game_id) ? share(game) : null,
  playerNotes: () => (game, seat) => {
    const player = game.players[seat - 1];
    const words = isLocal(game.game_id) ? t("outside.local.here") : t("outside.local.elsewhere");
    return player?.kind === "bot" && isLocal(player.id) && h("span", { class: "badge" }, words);
  },
  afterGame: ({ game_id: id }) => isLocal(id) && offers.ofOne(id),
};

/**
 * The button that starts a game of two people.
 * @param {Session} session
 * @param {() => GameSetup | null} chosen
 */
function startButton(session, chosen) {
  const open = async () => {
    const setup = chosen();
    const parts = () => Promise.all([import("./two_people.js"), loadMessages("local")]);
    const [dialog] = (setup && await loadPart(parts)) ?? [];
    setup && await dialog?.openTwoPeople(session, setup);
  };
  const attributes = { type: "button", "data-key": "two", onclick: open };
  return h("button", attributes, t("outside.local.two_people"));
}

/**
 * Files instead of links, which nobody else could open.
 * @param {GameState} game
 */
async function share(game) {
  const parts = () => Promise.all([import("./files.js"), loadMessages("local")]);
  const [files] = (await loadPart(parts)) ?? [];
  await files?.openFiles(game, here.games.get(game.game_id)?.changed_at ?? game.created_at);
}
