/** Results of rated games as tables: by opponent and by board. */

import { h, svg } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { playerLink } from "../shared/player_link.js";
import { boardTitle } from "../shared/sentences.js";
import { botMark } from "../shared/side.js";

/** @import { Child } from "../shared/dom.js" */
/** @import { GameProfile, Tally } from "./requests.js" */

/** Rows that are shown before "all opponents" is pressed. */
const SHORT = 10;

/** @param {GameProfile} profile */
export function byOpponent({ opponents }) {
  const rows = opponents.map((each) => {
    const { player } = each;
    return row([playerLink(player.name), " ", botMark(player)], each);
  });
  return section(t("ratings.profile.by_opponent"), t("ratings.profile.opponent"), rows);
}

/** @param {GameProfile} profile */
export function byBoard({ boards }) {
  const rows = boards.map((each) => row([boardTitle(each.board)], each));
  return section(t("ratings.profile.by_board"), t("ratings.profile.board"), rows);
}

/**
 * @param {string} title
 * @param {string} first the head of the first column
 * @param {HTMLTableRowElement[]} rows
 */
function section(title, first, rows) {
  const body = h("tbody", {}, rows.slice(0, SHORT));
  const rest = rows.slice(SHORT);
  const more = h(
    "button",
    { type: "button", class: "quiet-button" },
    t("ratings.profile.show_all", { n: rows.length }),
  );
  more.hidden = rest.length === 0;
  more.addEventListener("click", () => {
    body.append(...rest);
    more.hidden = true;
    rest[0]?.querySelector("a")?.focus();
  });
  const head = [
    first,
    t("ratings.profile.games"),
    t("ratings.profile.won_drawn_lost"),
    t("ratings.profile.score"),
  ];
  return h(
    "section",
    { class: "results", "aria-label": title },
    h("h3", {}, title),
    h(
      "table",
      { class: "results-table" },
      h("thead", {}, h("tr", {}, head.map((each) => h("th", { scope: "col" }, each)))),
      body,
    ),
    more,
  );
}

/**
 * @param {Child[]} name
 * @param {Tally} tally
 */
function row(name, tally) {
  const { games, won, drawn, lost } = tally;
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, name),
    h("td", {}, games),
    h("td", {}, `${won} / ${drawn} / ${lost}`),
    h("td", {}, scoreBar(tally), ` ${scoreOf(tally)} %`),
  );
}

/** The score in percent. @param {Tally} tally */
export function scoreOf({ games, won, drawn }) {
  return games ? Math.round((100 * (won + drawn / 2)) / games) : 0;
}

/**
 * The shares of won, drawn and lost games as a bar; the numbers are next to it.
 * @param {Tally} tally
 */
export function scoreBar({ games, won, drawn, lost }) {
  let from = 0;
  const parts = Object.entries({ won, drawn, lost }).map(([name, count]) => {
    const width = games ? (100 * count) / games : 0;
    const part = svg("rect", { class: name, x: from, width, height: 8 });
    from += width;
    return part;
  });
  const frame = { viewBox: "0 0 100 8", preserveAspectRatio: "none" };
  return svg("svg", { class: "score-bar", "aria-hidden": "true", ...frame }, parts);
}
