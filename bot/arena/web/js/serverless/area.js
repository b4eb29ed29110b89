/** What a static site gives the page in the place of a server: a greeting, and puzzles. */

import { LOCAL } from "../shared/device_games.js";
import { t } from "../shared/messages.js";
import { STATIC } from "../shared/site.js";

/** @import { AreaParts, Site } from "../shared/areas.js" */
/** @import { Lobby, Player, Welcome } from "../shared/wire.d.ts" */
/** @import { Puzzles } from "./puzzles.js" */

/** @type {AreaParts} */
export const area = {
  pages: {},
  start: (site) => STATIC && beServer(site),
};

/**
 * Greet the page as a server does, and answer about puzzles. Games on this device answer for
 * themselves.
 * @param {Site} site
 */
function beServer({ session: { connection, catalogue }, areas }) {
  const [game = ""] = document.documentElement.dataset["engine"]?.split(" ") ?? [];
  connection.greeting = greetingFor(areas.botsHere(game));
  const { answerHere } = connection;
  /** @type {Promise<Puzzles> | null} */
  let puzzles = null;
  const ofPuzzles = () =>
    puzzles ??= import("./puzzles.js").then(({ Puzzles }) => new Puzzles(catalogue));
  connection.answerHere = (event, fields) => {
    switch (event) {
      case "puzzle.ask":
        return ofPuzzles().then((all) => all.ask(/** @type {never} */ (fields)));
      case "puzzle.try":
        return ofPuzzles().then((all) => all.judge(/** @type {never} */ (fields)));
      default:
        return answerHere(event, fields);
    }
  };
}

/**
 * @param {Player[]} bots
 * @returns {{welcome: Welcome, lobby: Lobby}}
 */
function greetingFor(bots) {
  /** @type {Player} */
  const you = {
    ...{ id: `${LOCAL}person`, name: t("outside.serverless.you"), kind: "guest", engine: null },
    ...{ level: null, registered: false, ratings: {} },
  };
  const none = { v: /** @type {const} */ (1), challenges: [], games: [], tournaments: [] };
  return {
    welcome: {
      ...none,
      ...{ you, guest_key: null, server: "none", server_time: new Date().toISOString() },
      ...{ may_host: false, push_key: null },
    },
    lobby: { ...none, revision: 0, players: bots, warming: [], maintenance: null },
  };
}
