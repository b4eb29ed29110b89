/** What a tournament is: its games, its format, its host, and where it stands. */

import { h } from "../shared/dom.js";
import { counted, duration } from "../shared/sentences.js";
import { termsOf } from "../shared/terms.js";
import { ADMITS, formatTitle, momentText, roundWords } from "../shared/tournament_words.js";
import { openingWords } from "./openings.js";

/** @import { Catalogue } from "../shared/catalogue.js" */
/** @import { Child } from "../shared/dom.js" */
/** @import { TournamentState } from "../shared/wire.d.ts" */

/**
 * @param {TournamentState} state
 * @param {Catalogue} catalogue
 * @returns {Child[]}
 */
export function facts(state, catalogue) {
  const { settings, host } = state;
  const openings = openingWords(settings.openings);
  const rows = [
    fact(settings.setups.length > 1 ? "Games" : "Game", setups(settings, catalogue)),
    fact("Format", formatWords(state)),
    openings !== "" && fact("Openings", openings),
    fact("Players", playersWords(state)),
    fact("Host", host.name),
    fact("Who is late", lateWords(settings)),
    ...timesOf(settings),
    state.state === "over" && fact("Records", recordsLink(state)),
  ];
  return [h("dl", { class: "facts-list" }, rows)];
}

/** @param {TournamentState} state */
function recordsLink({ tournament_id: id }) {
  return [h("a", { href: `/api/tournaments/${id}/games.jsonl`, download: true }, "All its games")];
}

/**
 * @param {string} term
 * @param {string | Child[]} words
 */
function fact(term, words) {
  return h("div", {}, h("dt", {}, term), h("dd", {}, ...[words].flat()));
}

/**
 * @param {TournamentState["settings"]} settings
 * @param {Catalogue} catalogue
 */
function setups({ setups: all, mix }, catalogue) {
  const lines = all.map((setup) =>
    h("span", { class: "line" }, termsOf(setup, catalogue).join(" · "))
  );
  const both = mix === "all" ? "All of them in each pairing." : "One after the other.";
  return all.length > 1 ? [...lines, h("span", { class: "line quiet" }, both)] : lines;
}

/** @param {TournamentState} state */
function formatWords({ settings, round, rounds_in_all: all }) {
  const { kind = "swiss", rounds: _, ...others } = settings.format;
  const said = Object.entries(others).map(([name, value]) => optionWords(name, value));
  const games = settings.games_per_pairing;
  const isOnEach = settings.mix === "all" && settings.setups.length > 1;
  const each = games > 1
    ? [`${counted(games, "game")} a pairing${isOnEach ? ", on each setup" : ""}`]
    : [];
  const rounds = all === null ? "" : roundWords({ round: 0, rounds_in_all: all });
  return [formatTitle(kind), ...said, rounds || (round ? counted(round, "round") : ""), ...each]
    .filter((words) => words !== "")
    .join(" · ");
}

/**
 * What a format was told.
 * @param {string} name
 * @param {string} value
 */
function optionWords(name, value) {
  const words = name.replaceAll("_", " ");
  return value === "true" ? words : value === "false" ? `no ${words}` : `${words} ${value}`;
}

/** @param {TournamentState} state */
function playersWords({ entrants, settings, state, is_open: isOpen }) {
  const known = counted(entrants.length, "player");
  const most = isOpen || state === "open" ? ` of at most ${settings.most_players}` : "";
  const listed = settings.players.length ? ", only those whom the host lists" : "";
  return `${known}${most}, ${ADMITS[settings.admits]}${listed}`;
}

/** @param {TournamentState["settings"]} settings */
function lateWords({ no_show_s: wait, no_shows: most }) {
  return `forfeits after ${duration(wait)}; out after ${counted(most, "such game")} in a row`;
}

/** @param {TournamentState["settings"]} settings */
function timesOf({ opens_at: opens, closes_at: closes, starts_at: starts, pause_s: pause }) {
  return [
    opens !== null && fact("Registration opens", momentText(opens)),
    closes !== null && fact("Registration closes", momentText(closes)),
    starts !== null && fact("First round", momentText(starts)),
    pause > 0 && fact("Between rounds", duration(pause)),
  ];
}
