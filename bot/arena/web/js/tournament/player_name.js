/** A player of a tournament by name, with what there is to say about them. */

import { h } from "../shared/dom.js";

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
    h("span", { class: "player-words" }, name),
    name === me && h("span", { class: "badge you" }, "you"),
    away && h("span", { class: "badge" }, "away"),
    isGone && h("span", { class: "badge", title: entrant?.withdrawn }, "withdrawn"),
  );
}
