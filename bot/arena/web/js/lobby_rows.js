/** The lines of the lobby's lists: offers and games. */

import { h } from "./dom.js";
import { boardTitle, clockTitle, COLOURS, counted, resultTitle, rulesTitle } from "./sentences.js";

/** @typedef {import("./protocol.js").Challenge} Challenge */
/** @typedef {import("./protocol.js").GameSetup} GameSetup */
/** @typedef {import("./protocol.js").GameSummary} GameSummary */
/** @typedef {import("./session.js").Session} Session */

/** @param {GameSetup} setup */
function terms({ board, rules, clock }) {
  const parts = [boardTitle(board), clockTitle(clock)];
  return [...parts, ...(rules === "official" ? [] : [rulesTitle(rules)])].join(" · ");
}

/**
 * @param {Challenge} challenge
 * @param {string} me
 * @param {Session} session
 */
export function challengeRow(challenge, me, session) {
  const id = challenge.challenge_id;
  const mine = challenge.creator.name === me;
  const forMe = challenge.seats.includes(me) && !mine;
  const press = (/** @type {string} */ label, /** @type {() => void} */ act, style = "") =>
    h(
      "button",
      { type: "button", class: style, "data-key": `${label}-${id}`, onclick: act },
      label,
    );
  return h(
    "li",
    { class: "row" },
    h(
      "div",
      { class: "row-words" },
      h("strong", {}, mine ? waitingFor(challenge, me) : `${challenge.creator.name} offers a game`),
      h("span", { class: "quiet" }, `${terms(challenge.setup)} · ${order(challenge, me)}`),
    ),
    h(
      "div",
      { class: "buttons" },
      mine && press("Cancel", () => session.cancel(id)),
      !mine && press("Accept", () => session.accept(id), "primary"),
      forMe && press("Decline", () => session.decline(id)),
    ),
  );
}

/**
 * @param {Challenge} challenge
 * @param {string} me
 */
function waitingFor({ seats, accepted }, me) {
  const missing = seats.filter((name) => name !== null && name !== me && !accepted.includes(name));
  return missing.length ? `Waiting for ${missing.join(" and ")}` : "Waiting for somebody to accept";
}

/**
 * @param {Challenge} challenge
 * @param {string} me
 */
function order({ seats, random_seats: random, creator }, me) {
  if (random) {
    return "random colours";
  }
  if (!seats.includes(creator.name)) {
    return `${seats[0] ?? "anybody"} begins`;
  }
  const mine = creator.name === me ? seats.indexOf(me) : 1 - seats.indexOf(creator.name);
  return `you play ${COLOURS[mine === 0 ? 1 : 2]}`;
}

/**
 * @param {GameSummary} game
 * @param {string} me
 */
export function gameRow(game, me) {
  const names = game.players.map((player, index) =>
    h(
      "span",
      { class: game.result?.winner === index + 1 ? "side won" : "side" },
      h("span", { class: `dot seat-${index + 1}`, "aria-hidden": "true" }),
      player.name,
    ),
  );
  const playing = game.players.some((player) => player.name === me);
  const outcome = game.result
    ? resultTitle(game.result, game.players)
    : counted(game.plies, "turn");
  const verb = game.state === "playing" ? (playing ? "Continue" : "Watch") : "Replay";
  return h(
    "li",
    { class: "row" },
    h(
      "a",
      {
        class: "row-link",
        href: `/game/${game.game_id}`,
        "data-link": true,
        "data-key": `game-${game.game_id}`,
      },
      h(
        "span",
        { class: "row-words" },
        h("span", { class: "sides" }, names),
        h("span", { class: "quiet" }, `${terms(game.setup)} · ${outcome}`),
      ),
      h("span", { class: "row-verb" }, verb),
    ),
  );
}
