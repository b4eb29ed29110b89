/** The standings: a table by rank with tie-breaks; before the first round, the entrants. */

import { h } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { capital } from "../shared/sentences.js";
import { pointsText } from "../shared/tournament_words.js";
import { playerName } from "./player_name.js";

/** @import { Child } from "../shared/dom.js" */
/** @import { TournamentStanding, TournamentState } from "../shared/wire.d.ts" */

/** Short and long names of tie-breaks; the short ones are FIDE's. @type {Record<string, [string, string]>} */
const TIE_BREAKS = {
  buchholz: ["BH", t("tournaments.tie_break.buchholz")],
  buchholz_cut_1: ["BH-C1", t("tournaments.tie_break.buchholz_cut_1")],
  sonneborn_berger: ["SB", t("tournaments.tie_break.sonneborn_berger")],
  direct_encounter: ["DE", t("tournaments.tie_break.direct_encounter")],
  wins: ["WIN", t("tournaments.tie_break.wins")],
  game_points: ["GP", t("tournaments.tie_break.game_points")],
};

/** Formats in which the rank does not depend on points. */
const BRACKETS = ["knockout", "double-knockout"];

/**
 * @param {TournamentState} state
 * @param {string | undefined} me
 * @returns {Child[]}
 */
export function standings(state, me) {
  if (state.standings.length === 0) {
    return [entered(state, me)];
  }
  const isByPlace = BRACKETS.includes(state.settings.format["kind"] ?? "");
  return [ranked(state, me), ...keys(state, isByPlace), ...withdrawals(state)];
}

/**
 * Explanations of the order and the short heads of the table.
 * @param {TournamentState} state
 * @param {boolean} isByPlace
 */
function keys({ standings: [first] }, isByPlace) {
  const breaks = Object.keys(first?.tie_breaks ?? {}).map(breakNames);
  const legend = breaks.map(([short, long]) => `${short}: ${long}`).join(" · ");
  const words = isByPlace ? t("tournaments.by_round_reached") : legend;
  return words === "" ? [] : [h("p", { class: "key quiet" }, words)];
}

/** @param {TournamentState} state */
function withdrawals({ entrants }) {
  return entrants.flatMap(({ name, withdrawn }) =>
    withdrawn === null
      ? []
      : [h("p", { class: "key quiet" }, t("tournaments.is_out", { name, why: withdrawn }))]
  );
}

/**
 * @param {string} name
 * @returns {[string, string]} short and long
 */
function breakNames(name) {
  return TIE_BREAKS[name] ?? [capital(name), capital(name).replaceAll("_", " ")];
}

/**
 * @param {TournamentState} state
 * @param {string | undefined} me
 */
function ranked(state, me) {
  const breaks = Object.keys(state.standings[0]?.tie_breaks ?? {});
  const heads = [
    h("th", { scope: "col", class: "rank" }, h("abbr", { title: t("tournaments.rank") }, "#")),
    h("th", { scope: "col", class: "name" }, t("tournaments.player")),
    h("th", { scope: "col" }, t("tournaments.points")),
    ...breaks.map(breakHead),
    h("th", { scope: "col", class: "tally" }, t("tournaments.won")),
    h("th", { scope: "col", class: "tally" }, t("tournaments.drawn")),
    h("th", { scope: "col", class: "tally" }, t("tournaments.lost")),
  ];
  const caption = h("caption", { class: "hidden-visually" }, t("tournaments.standings"));
  // In a bracket all have the same rank until the first match is decided.
  const isRanked = state.standings.length < 2 || state.standings.some(({ rank }) => rank > 1);
  const rows = state.standings.map((row) =>
    standingRow(state, row, { breaks, me, rank: isRanked ? String(row.rank) : "–" })
  );
  return h(
    "table",
    { class: "standings" },
    caption,
    h("thead", {}, h("tr", {}, heads)),
    h("tbody", {}, rows),
  );
}

/** @param {string} name */
function breakHead(name) {
  const [short, long] = breakNames(name);
  return h("th", { scope: "col", class: "tie-break" }, h("abbr", { title: long }, short));
}

/**
 * @param {TournamentState} state
 * @param {TournamentStanding} row
 * @param {{breaks: string[], me: string | undefined, rank: string}} shown
 */
function standingRow(state, row, { breaks, me, rank }) {
  const cells = breaks.map((name) => {
    const value = row.tie_breaks[name] ?? null;
    return h("td", { class: "tie-break" }, value === null ? "–" : pointsText(value));
  });
  return h(
    "tr",
    { class: row.player === me ? "own" : null },
    h("td", { class: "rank" }, rank),
    h("th", { scope: "row", class: "name" }, playerName(state, row.player, me)),
    h("td", { class: "points" }, pointsText(row.points)),
    cells,
    [row.wins, row.draws, row.losses].map((count) => h("td", { class: "tally" }, count)),
  );
}

/**
 * @param {TournamentState} state
 * @param {string | undefined} me
 */
function entered(state, me) {
  if (state.entrants.length === 0) {
    return h("p", { class: "quiet" }, t("tournaments.no_players"));
  }
  const names = state.entrants.map(({ name }) =>
    h("li", { class: name === me ? "own" : null }, playerName(state, name, me))
  );
  return h("ol", { class: "entrants" }, names);
}
