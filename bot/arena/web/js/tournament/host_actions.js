/** The actions of a tournament's host, until it is over. */

import { confirmed, messageOf, notifyOf, openDialog } from "../shared/dialogs.js";
import { h } from "../shared/dom.js";
import { counted } from "../shared/sentences.js";
import { earlyEndWords, isToCome } from "../shared/tournament_words.js";

/** @import { Child } from "../shared/dom.js" */
/** @import { Tournaments } from "../shared/tournaments.js" */
/** @import { Seat, TournamentGame, TournamentState } from "../shared/wire.d.ts" */

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
        button("Start now", ask("tournament.start"), "primary"),
        state.entrants.length > 0 && button("Withdraw a player", withdraw),
        button("Cancel the tournament", end),
      ];
    case "played":
      return [button("Close the tournament", () => closeTournament(id, tournaments), "primary")];
    case "running":
    case "paused":
      return [
        phase === "running"
          ? button("Pause", pause)
          : button("Resume", ask("tournament.resume"), "primary"),
        button("Withdraw a player", withdraw),
        button("End the tournament", end),
      ];
    default:
      return [];
  }
}

/**
 * A warning to the host before the first round.
 * @param {TournamentState} state
 * @returns {string} "" if there is none
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
  return `With ${players} players it ends after ${counted(most, "round")} at the latest, and not ` +
    `${all}: no player meets the same opponent twice.`;
}

/**
 * @param {string} label
 * @param {() => void} press
 * @param {string} [style]
 */
function button(label, press, style = "") {
  const attributes = { type: "button", class: style, "data-key": label, onclick: press };
  return h("button", attributes, label);
}

/**
 * @param {TournamentState} state
 * @param {Tournaments} tournaments
 */
async function pauseTournament({ tournament_id: id, settings }, tournaments) {
  const words = "Games in progress are played to their end. No other games begin.";
  await askFor(
    `Pause ${settings.name}?`,
    [h("p", {}, words)],
    "Pause",
    (why) => tournaments.ask("tournament.pause", { tournament_id: id, why }),
  );
}

/**
 * @param {TournamentState} state
 * @param {Tournaments} tournaments
 */
async function endTournament({ tournament_id: id, settings, round }, tournaments) {
  const hasBegun = round > 0;
  const words = hasBegun
    ? "Games in progress are played to their end and count. No more are paired. This cannot be undone."
    : "The tournament will not be played. This cannot be undone.";
  const verb = hasBegun ? "End" : "Cancel";
  await askFor(
    `${verb} ${settings.name}?`,
    [h("p", {}, words)],
    `${verb} the tournament`,
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
  const final = "After that no result can be corrected. This cannot be undone.";
  if (await confirmed("Close the tournament?", final, "Close it")) {
    const why = "The host has closed the tournament.";
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
    ? "A game in progress is played to its end. The player forfeits later games and cannot return."
    : "The player may enter again while registration is open.";
  const body = [
    h("label", { class: "field" }, "Player", player),
    h("p", { class: "quiet" }, words),
  ];
  await askFor(
    "Withdraw a player",
    body,
    "Withdraw",
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
    h("option", { value: "1" }, `${seats[0]} wins`),
    h("option", { value: "2" }, `${seats[1]} wins`),
    h("option", { value: "" }, "Draw"),
  );
  const body = [
    h("label", { class: "field" }, "Result", result),
  ];
  await askFor(`Replace the result of game ${number}`, body, "Replace the result", (why) => {
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
    // The Enter key presses the first one.
    { label, value: "yes", class: style },
    { label: "Cancel", value: "" },
  ];
  const reason = h("label", { class: "field" }, "Reason (visible to everyone)", why);
  await openDialog(title, [...body, reason, problem], buttons, take);
}
