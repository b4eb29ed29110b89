/** The list of games on this device, on the front page. */

import { gameRow } from "../lobby/rows.js";
import { h } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { summaryOf } from "./summary.js";

/** @import { Child } from "../shared/dom.js" */
/** @import { Session } from "../shared/session.js" */
/** @import { People } from "./players.js" */
/** @import { StoredGame } from "./stored_game.js" */

/** The games that are shown at once. */
const FEW = 5;

/**
 * @param {Map<string, StoredGame>} games
 * @param {People} people
 * @param {Session} session
 * @param {Child} adding the button that adds finished games to those on the server
 * @returns {Child[]} nothing without games
 */
export function gameList(games, people, session, adding) {
  const rows = latest(games).map((each) => gameRow(summaryOf(each, people), session));
  if (rows.length === 0) {
    return [];
  }
  const [few, rest] = [rows.slice(0, FEW), rows.slice(FEW)];
  return [
    h("h2", {}, t("outside.local.title")),
    h("ul", { class: "rows" }, few),
    rest.length > 0 && h(
      "details",
      { class: "more-games" },
      h("summary", {}, t("outside.local.more", { n: rest.length })),
      h("ul", { class: "rows" }, rest),
    ),
    adding && h("div", { class: "buttons add-games" }, adding),
  ];
}

/**
 * Running games first, then those that were played last.
 * @param {Map<string, StoredGame>} games
 */
function latest(games) {
  return [...games.values()].sort((one, two) =>
    Number(one.result !== null) - Number(two.result !== null) ||
    Date.parse(two.changed_at) - Date.parse(one.changed_at)
  );
}
