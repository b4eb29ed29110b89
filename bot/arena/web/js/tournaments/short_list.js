/** A short list of the current and upcoming tournaments. */

import { h } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { tournamentRow } from "../shared/tournament_row.js";

/** @import { Child } from "../shared/dom.js" */
/** @import { Session } from "../shared/session.js" */

/** A page of its own lists all. */
const MOST = 5;

/**
 * @param {Session} session
 * @returns {Child[]}
 */
export function tournamentsInShort({ lobby, catalogue, mayHost }) {
  const all = lobby?.tournaments ?? [];
  const rows = all.slice(0, MOST).map((summary) => tournamentRow(summary, catalogue));
  const words = lobby === null ? t("lobby.connecting") : t("outside.tournaments.none");
  const link = (/** @type {string} */ href, /** @type {string} */ words) =>
    h("a", { href, "data-link": true, "data-key": href }, words);
  return [
    h("h2", {}, t("outside.tournaments.menu")),
    rows.length ? h("ul", { class: "rows" }, rows) : h("p", { class: "quiet" }, words),
    h(
      "p",
      { class: "list-links" },
      link("/tournaments", t("outside.tournaments.all")),
      mayHost && link("/tournaments/new", t("outside.tournaments.new")),
    ),
  ];
}
