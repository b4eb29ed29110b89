/** The facts of a tournament: its games, its format, its host and its state. */

import { h } from "../shared/dom.js";
import { counted, duration } from "../shared/sentences.js";
import { termsOf } from "../shared/terms.js";
import { ADMITS, formatTitle, momentText, roundWords } from "../shared/tournament_words.js";
import { openingWords } from "./openings.js";

/** @import { Catalogue } from "../shared/catalogue.js" */
/** @import { Child } from "../shared/dom.js" */
/** @import { TournamentState } from "../shared/wire.d.ts" */

const SWISS_PAIRING = "FIDE Dutch System (C.04.3), edition of February 2026, by Bluestone";

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
    (settings.format["kind"] ?? "swiss") === "swiss" && fact("Pairing", SWISS_PAIRING),
    openings !== "" && fact("Openings", openings),
    fact("Players", playersWords(state)),
    fact("Host", host.name),
    fact("No-shows", lateWords(settings)),
    ...timesOf(settings),
    state.state === "over" && fact("Records", recordsLink(state)),
  ];
  return [h("dl", { class: "facts-list" }, rows)];
}

/** @param {TournamentState} state */
function recordsLink({ tournament_id: id }) {
  return [h("a", { href: `/api/tournaments/${id}/games.jsonl`, download: true }, "All games")];
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
    ? [`${counted(games, "game")} per pairing${isOnEach ? ", on each setup" : ""}`]
    : [];
  const rounds = all === null ? "" : roundWords({ round: 0, rounds_in_all: all });
  return [formatTitle(kind), ...said, rounds || (round ? counted(round, "round") : ""), ...each]
    .filter((words) => words !== "")
    .join(" · ");
}

/**
 * The options of a format.
 * @param {string} name
 * @param {string} value
 */
function optionWords(name, value) {
  const words = name.replaceAll("_", " ");
  return value === "true" ? words : value === "false" ? `no ${words}` : `${words} ${value}`;
}

/** @param {TournamentState} state */
function playersWords({ entrants, settings, state, is_open: isOpen }) {
  const known = isOpen || state === "open"
    ? `${entrants.length} of ${counted(settings.most_players, "player")}`
    : counted(entrants.length, "player");
  const listed = settings.players.length ? ", only those on the host’s list" : "";
  const bots = settings.bots === null ? "" : `; bots: ${settings.bots.join(", ") || "none"}`;
  return `${known} (${ADMITS[settings.admits]}${listed}${bots})`;
}

/** @param {TournamentState["settings"]} settings */
function lateWords({ no_show_s: wait, no_shows: most }) {
  return `forfeit after ${duration(wait)}; removed after ${most} in a row`;
}

/** @param {TournamentState["settings"]} settings */
function timesOf(
  { opens_at: opens, closes_at: closes, starts_at: starts, pause_s: pause, review_s: review },
) {
  return [
    opens !== null && fact("Registration opens", momentText(opens)),
    closes !== null && fact("Registration closes", momentText(closes)),
    starts !== null && fact("First round", momentText(starts)),
    review > 0 && fact("Corrections", `until ${duration(review)} after the last game`),
    pause > 0 && fact("Between rounds", duration(pause)),
  ];
}
