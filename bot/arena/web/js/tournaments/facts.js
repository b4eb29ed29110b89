/** The facts of a tournament: its games, its format, its host and its state. */

import { h } from "../shared/dom.js";
import { hasMessage, t } from "../shared/messages.js";
import { playerLink } from "../shared/player_link.js";
import { duration } from "../shared/sentences.js";
import { termsOf } from "../shared/terms.js";
import { ADMITS, formatTitle, momentText, roundWords } from "../shared/tournament_words.js";
import { openingWords } from "./openings.js";

/** @import { Catalogue } from "../shared/catalogue.js" */
/** @import { Child } from "../shared/dom.js" */
/** @import { TournamentState } from "../shared/wire.d.ts" */

const SWISS_PAIRING = t("tournaments.fact.swiss_pairing");

/**
 * @param {TournamentState} state
 * @param {Catalogue} catalogue
 * @returns {Child[]}
 */
export function facts(state, catalogue) {
  const { settings, host } = state;
  const openings = openingWords(settings.openings);
  const rows = [
    fact(
      settings.setups.length > 1 ? t("tournaments.fact.games") : t("common.game"),
      setups(settings, catalogue),
    ),
    fact(t("tournaments.fact.format"), formatWords(state)),
    (settings.format["kind"] ?? "swiss") === "swiss" &&
    fact(t("tournaments.fact.pairing"), SWISS_PAIRING),
    openings !== "" && fact(t("tournaments.fact.openings"), openings),
    fact(t("tournaments.fact.players"), playersWords(state)),
    fact(t("tournaments.fact.host"), [playerLink(host.name, "host")]),
    fact(t("tournaments.fact.no_shows"), lateWords(settings)),
    ...timesOf(settings),
    state.state === "over" && fact(t("tournaments.fact.records"), recordsLink(state)),
  ];
  return [h("dl", { class: "facts-list" }, rows)];
}

/** @param {TournamentState} state */
function recordsLink({ tournament_id: id }) {
  return [
    h(
      "a",
      { href: `/api/tournaments/${id}/games.jsonl`, download: true },
      t("tournaments.fact.all_games"),
    ),
  ];
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
  const both = mix === "all" ? t("tournaments.fact.mix_all") : t("tournaments.fact.mix_turn");
  return all.length > 1 ? [...lines, h("span", { class: "line quiet" }, both)] : lines;
}

/** @param {TournamentState} state */
function formatWords({ settings, state, round, rounds_in_all: all }) {
  const { kind = "swiss", rounds: _, ...others } = settings.format;
  const said = Object.entries(others).map(([name, value]) => optionWords(name, value));
  const games = settings.games_per_pairing;
  const isOnEach = settings.mix === "all" && settings.setups.length > 1;
  const words = isOnEach
    ? t("tournaments.fact.games_on_each", { n: games })
    : t("tournaments.fact.games_per_pairing", { n: games });
  const each = games > 1 ? [words] : [];
  const rounds = all === null ? "" : roundWords({ round: 0, rounds_in_all: all });
  return [
    formatTitle(kind),
    ...said,
    rounds || (state === "over" && round > 0 ? t("common.rounds", { n: round }) : ""),
    ...each,
  ]
    .filter((words) => words !== "")
    .join(" · ");
}

/**
 * The options of a format.
 * @param {string} name
 * @param {string} value
 */
function optionWords(name, value) {
  const isSwitch = value === "true" || value === "false";
  const key = isSwitch ? `${name}_${value}` : name;
  return hasMessage(`tournaments.option.${key}`)
    ? t(`tournaments.option.${key}`, { value })
    : `${name.replaceAll("_", " ")} ${value}`;
}

/** @param {TournamentState} state */
function playersWords({ entrants, settings, state, is_open: isOpen }) {
  const known = isOpen || state === "open"
    ? t("tournaments.fact.players_of", { number: entrants.length, n: settings.most_players })
    : t("common.players", { n: entrants.length });
  const listed = settings.players.length ? `, ${t("tournaments.fact.only_listed")}` : "";
  const names = settings.bots?.join(", ") || t("tournaments.fact.none");
  const bots = settings.bots === null ? "" : `; ${t("tournaments.fact.bots", { names })}`;
  return `${known} (${ADMITS[settings.admits]}${listed}${bots})`;
}

/** @param {TournamentState["settings"]} settings */
function lateWords({ no_show_s: wait, no_shows: most }) {
  return t("tournaments.fact.no_shows_words", { time: duration(wait), most });
}

/** @param {TournamentState["settings"]} settings */
function timesOf(
  { opens_at: opens, closes_at: closes, starts_at: starts, pause_s: pause, review_s: review },
) {
  return [
    opens !== null && fact(t("tournaments.fact.opens"), momentText(opens)),
    closes !== null && fact(t("tournaments.fact.closes"), momentText(closes)),
    starts !== null && fact(t("tournaments.fact.first_round"), momentText(starts)),
    review > 0 &&
    fact(
      t("tournaments.fact.corrections"),
      t("tournaments.fact.corrections_words", { time: duration(review) }),
    ),
    pause > 0 && fact(t("tournaments.fact.pause"), duration(pause)),
  ];
}
