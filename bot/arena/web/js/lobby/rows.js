/** The lines of the lobby's lists: offers and games. */

import { h } from "../shared/dom.js";
import { counted, resultTitle } from "../shared/sentences.js";
import { termsOf } from "../shared/terms.js";

/** @import { Catalogue } from "../shared/catalogue.js" */
/** @import { Session } from "../shared/session.js" */
/** @import { Challenge, GameSummary } from "../shared/wire.d.ts" */

/**
 * @param {Challenge} challenge
 * @param {string} me
 * @param {Session} session
 */
export function challengeRow(challenge, me, session) {
  const id = challenge.challenge_id;
  const mine = challenge.creator.name === me;
  const terms = termsOf(challenge.setup, session.catalogue);
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
      h("span", { class: "quiet" }, [...terms, order(challenge, me)].join(" · ")),
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
    return "random order";
  }
  if (!seats.includes(creator.name)) {
    return `${seats[0] ?? "anybody"} begins`;
  }
  const first = creator.name === me ? seats[0] === me : seats[0] !== creator.name;
  return first ? "you begin" : "you play second";
}

/**
 * @param {GameSummary} game
 * @param {string} me
 * @param {Catalogue} catalogue
 */
export function gameRow(game, me, catalogue) {
  const names = game.players.map((player, index) =>
    h(
      "span",
      { class: game.result?.winner === index + 1 ? "side won" : "side" },
      h("span", { class: `dot seat-${index + 1}`, "aria-hidden": "true" }),
      player.name,
    )
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
        h(
          "span",
          { class: "quiet" },
          [...placeOf(game), ...termsOf(game.setup, catalogue), outcome].join(" · "),
        ),
      ),
      h("span", { class: "row-verb" }, verb),
    ),
  );
}

/**
 * The tournament that a game belongs to, if there is one.
 * @param {GameSummary} game
 */
function placeOf({ tournament }) {
  return tournament ? [`${tournament.name}, round ${tournament.round}`] : [];
}
