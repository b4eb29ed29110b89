/** A player's name in a tournament, with badges. */

import { h } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { botMark } from "../shared/side.js";

/** @import { TournamentState } from "../shared/wire.d.ts" */

/**
 * @param {TournamentState} state
 * @param {string} name
 * @param {string | undefined} me
 */
export function playerName(state, name, me) {
  const entrant = state.entrants.find((each) => each.name === name);
  const isGone = Boolean(entrant?.withdrawn);
  const goesOn = state.state !== "over" && state.state !== "cancelled";
  const away = goesOn && !isGone && entrant !== undefined && !entrant.connected;
  return h(
    "span",
    { class: "tournament-player" },
    gamesOf(name),
    entrant && botMark(entrant),
    name === me && h("span", { class: "badge you" }, t("common.you")),
    away && h("span", { class: "badge" }, t("tournaments.away")),
    isGone && h("span", { class: "badge", title: entrant?.withdrawn }, t("tournaments.withdrawn")),
  );
}

/**
 * A player's name that leads to their games in this tournament.
 * @param {string} name
 */
export function gamesOf(name) {
  const href = `#games-of=${encodeURIComponent(name)}`;
  return h("a", { class: "player-words", href, title: t("tournaments.games_of", { name }) }, name);
}
