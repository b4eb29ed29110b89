/** The actions of a tournament's host, until it is over. */

import { confirmed, messageOf, notifyOf, openDialog } from "../shared/dialogs.js";
import { h } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { earlyEndWords, isToCome } from "../shared/tournament_words.js";

/** @import { Child } from "../shared/dom.js" */
/** @import { Tournaments } from "../shared/tournaments.js" */
/** @import { Seat, TournamentGame, TournamentState } from "../shared/wire.d.ts" */

/** The reason that the server keeps; readers get it in their language. */
export const CLOSED_BY_HOST = "The host has closed the tournament.";
/** The longest reason that the server accepts. */
const LONGEST_REASON = 300;

/**
 * @param {TournamentState} state
 * @param {Tournaments} tournaments
 * @returns {Child[]} empty if nothing can be done
 */
export function hostActions(state, tournaments) {
  const { tournament_id: id, state: phase } = state;
  const ask = (/** @type {"tournament.start" | "tournament.resume"} */ event) => () =>
    tournaments.ask(event, { tournament_id: id }).catch(notifyOf);
  const end = () => endTournament(state, tournaments);
  const withdraw = () => withdrawPlayer(state, tournaments);
  const pause = () => pauseTournament(state, tournaments);
  switch (phase) {
    case "waiting":
    case "open":
    case "closed":
      return [
        button("start", t("tournaments.host.start"), ask("tournament.start"), "primary"),
        state.entrants.length > 0 && button("withdraw", t("tournaments.host.withdraw"), withdraw),
        button("cancel", t("tournaments.host.cancel"), end),
      ];
    case "played":
      return [
        button(
          "close",
          t("tournaments.host.close"),
          () => closeTournament(id, tournaments),
          "primary",
        ),
      ];
    case "running":
    case "paused":
      return [
        phase === "running"
          ? button("pause", t("tournaments.host.pause"), pause)
          : button("resume", t("tournaments.host.resume"), ask("tournament.resume"), "primary"),
        button("withdraw", t("tournaments.host.withdraw"), withdraw),
        button("end", t("tournaments.host.end"), end),
      ];
    default:
      return [];
  }
}

/**
 * A warning to the host before the first round.
 * @param {TournamentState} state
 * @returns {string} "" if no warning applies
 */
export function doubtWords({ settings, entrants, state, rounds_in_all: all }) {
  const players = entrants.length;
  const most = players - 1 + players % 2;
  const isSwiss = (settings.format["kind"] ?? "swiss") === "swiss";
  if (!isToCome(state) || !isSwiss || players < 2 || all === null) {
    return "";
  }
  if (all <= most) {
    return earlyEndWords(all, players);
  }
  return t("tournaments.host.fewer_rounds", { players, n: most, all });
}

/**
 * @param {string} key
 * @param {string} label
 * @param {() => void} press
 * @param {string} [style]
 */
function button(key, label, press, style = "") {
  const attributes = { type: "button", class: style, "data-key": key, onclick: press };
  return h("button", { ...attributes, "data-needs-connection": true }, label);
}

/**
 * @param {TournamentState} state
 * @param {Tournaments} tournaments
 */
async function pauseTournament({ tournament_id: id, settings }, tournaments) {
  await askFor(
    t("tournaments.host.pause_question", { name: settings.name }),
    [h("p", {}, t("tournaments.host.pause_words"))],
    t("tournaments.host.pause"),
    (why) => tournaments.ask("tournament.pause", { tournament_id: id, why }),
  );
}

/**
 * @param {TournamentState} state
 * @param {Tournaments} tournaments
 */
async function endTournament({ tournament_id: id, settings, round }, tournaments) {
  const verb = round > 0 ? "end" : "cancel";
  await askFor(
    t(`tournaments.host.${verb}_question`, { name: settings.name }),
    [h("p", {}, t(`tournaments.host.${verb}_words`))],
    t(`tournaments.host.${verb}`),
    (why) => tournaments.ask("tournament.end", { tournament_id: id, why }),
    "danger",
  );
}

/**
 * Make the results final.
 * @param {string} id the tournament's
 * @param {Tournaments} tournaments
 */
async function closeTournament(id, tournaments) {
  const question = t("tournaments.host.close_question");
  const final = t("tournaments.host.close_words");
  if (await confirmed(question, final, t("tournaments.host.close_do"), { needsConnection: true })) {
    const why = CLOSED_BY_HOST;
    await tournaments.ask("tournament.end", { tournament_id: id, why }).catch(notifyOf);
  }
}

/**
 * @param {TournamentState} state
 * @param {Tournaments} tournaments
 */
async function withdrawPlayer({ tournament_id: id, entrants, round }, tournaments) {
  const there = entrants.filter(({ withdrawn }) => withdrawn === null);
  const options = there.map(({ name }) => h("option", { value: name }, name));
  const player = h("select", { name: "player" }, options);
  const words = round > 0
    ? t("tournaments.host.withdraw_later")
    : t("tournaments.host.withdraw_before");
  const body = [
    h("label", { class: "field" }, t("tournaments.player"), player),
    h("p", { class: "quiet" }, words),
  ];
  await askFor(
    t("tournaments.host.withdraw"),
    body,
    t("tournaments.host.withdraw_do"),
    (why) =>
      tournaments.ask("tournament.withdraw", { tournament_id: id, player: player.value, why }),
    "danger",
  );
}

/**
 * Replace the result of a game.
 * @param {string} id the tournament's
 * @param {TournamentGame} game
 * @param {Tournaments} tournaments
 */
export async function replaceResult(id, { number, seats }, tournaments) {
  const result = h(
    "select",
    { name: "result" },
    h("option", { value: "1" }, t("tournaments.replace.wins", { name: seats[0] })),
    h("option", { value: "2" }, t("tournaments.replace.wins", { name: seats[1] })),
    h("option", { value: "" }, t("common.draw.other")),
  );
  const body = [
    h("label", { class: "field" }, t("tournaments.replace.result"), result),
  ];
  const title = t("tournaments.replace.title", { number });
  await askFor(title, body, t("tournaments.replace.do"), (why) => {
    const winner = result.value === "" ? null : /** @type {Seat} */ (Number(result.value));
    return tournaments.ask("tournament.replace", { tournament_id: id, game: number, winner, why });
  }, "danger");
}

/**
 * Ask for a reason in a window that stays open until the server has accepted.
 * @param {string} title
 * @param {Child[]} body
 * @param {string} label
 * @param {(why: string) => Promise<unknown>} act
 * @param {string} [style]
 */
async function askFor(title, body, label, act, style = "primary") {
  const why = h("input", { type: "text", name: "why", required: true, maxlength: LONGEST_REASON });
  const problem = h("p", { class: "field-problem", role: "alert" });
  const take = async (/** @type {string} */ answer) => {
    try {
      await (answer === "yes" ? act(why.value.trim()) : null);
      return true;
    } catch (error) {
      problem.textContent = messageOf(error);
      return false;
    }
  };
  const buttons = [
    { label, value: "yes", class: style, needsConnection: true },
    { label: t("common.cancel"), value: "" },
  ];
  const reason = h("label", { class: "field" }, t("tournaments.host.reason"), why);
  await openDialog(title, [...body, reason, problem], buttons, take);
}
