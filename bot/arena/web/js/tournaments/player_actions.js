/** Entering and leaving a tournament, and the link to the person's game. */

import { confirmed, notifyOf } from "../shared/dialogs.js";
import { byId, h } from "../shared/dom.js";
import { t } from "../shared/messages.js";

/** @import { Child } from "../shared/dom.js" */
/** @import { Session } from "../shared/session.js" */
/** @import { TournamentGame, TournamentState } from "../shared/wire.d.ts" */

/**
 * @param {TournamentState} state
 * @param {Session} session
 * @returns {Child[]}
 */
export function playerActions(state, session) {
  const { you } = session;
  const mine = state.entrants.find(({ name }) => name === you?.name);
  if (!you || state.state === "over" || state.state === "cancelled") {
    return [];
  }
  if (mine) {
    const isOut = mine.eliminated || mine.withdrawn !== null;
    return isOut
      ? [h("p", { class: "quiet" }, t("tournaments.you_are_out"))]
      : [yourGame(state, you.name), state.state !== "played" && leaveButton(state, session)];
  }
  if (!state.is_open) {
    return [];
  }
  if (state.settings.admits === "bots") {
    return [h("p", { class: "quiet" }, t("tournaments.only_bots"))];
  }
  if (you.kind === "guest") {
    return chooseName(session);
  }
  return [enterButton(state, session)];
}

/**
 * What a guest must do before entering. A name cannot change during a game or an open challenge.
 * @param {Session} session
 * @returns {Child[]}
 */
function chooseName({ nameIsBound }) {
  const words = nameIsBound ? t("tournaments.enter.name_bound") : t("tournaments.enter.guests");
  const open = () => byId("name").click();
  const attributes = { type: "button", class: "primary", "data-key": "choose", onclick: open };
  return [
    h("p", { class: "quiet" }, words),
    !nameIsBound && h("button", attributes, t("tournaments.enter.choose_name")),
  ];
}

/**
 * @param {TournamentState} state
 * @param {string} me
 */
function yourGame({ rounds, state }, me) {
  const games = rounds.flatMap((round) => round.pairings.flatMap((pairing) => pairing.games));
  const isMine = (/** @type {TournamentGame} */ { seats }) => seats.some((name) => name === me);
  const running = games.find((game) => game.state === "playing" && isMine(game));
  const path = `/game/${running?.game_id}`;
  return running
    ? h(
      "a",
      { class: "button primary", href: path, "data-link": true },
      t("tournaments.to_your_game"),
    )
    : state === "played"
    ? h("p", { class: "quiet" }, t("tournaments.all_played"))
    : h("p", { class: "quiet" }, t("tournaments.you_are_in"));
}

/**
 * @param {TournamentState} state
 * @param {Session} session
 */
function enterButton({ tournament_id: id }, { tournaments }) {
  const enter = () => tournaments.ask("tournament.enter", { tournament_id: id }).catch(notifyOf);
  const attributes = { type: "button", class: "primary", "data-key": "enter", onclick: enter };
  return h("button", { ...attributes, "data-needs-connection": true }, t("tournaments.enter.do"));
}

/**
 * @param {TournamentState} state
 * @param {Session} session
 */
function leaveButton({ tournament_id: id, round, settings }, { tournaments }) {
  const leave = async () => {
    const lost = t("tournaments.leave.words");
    const question = t("tournaments.leave.question", { name: settings.name });
    const confirm = t("tournaments.leave.confirm");
    if (round === 0 || (await confirmed(question, lost, confirm, { needsConnection: true }))) {
      await tournaments.ask("tournament.leave", { tournament_id: id }).catch(notifyOf);
    }
  };
  return h(
    "button",
    { type: "button", "data-key": "leave", "data-needs-connection": true, onclick: leave },
    t("tournaments.leave.do"),
  );
}
