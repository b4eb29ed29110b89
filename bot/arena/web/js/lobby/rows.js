/** The lines of the lobby's lists: offers and games. */

import { h } from "../shared/dom.js";
import { moverOf, seatOf } from "../shared/games.js";
import { counted, resultTitle } from "../shared/sentences.js";
import { botMark, colourDots } from "../shared/side.js";
import { termsOf } from "../shared/terms.js";
import { momentText } from "../shared/tournament_words.js";

/** @import { Child } from "../shared/dom.js" */
/** @import { Session } from "../shared/session.js" */
/** @import { Challenge, GameSummary, Player } from "../shared/wire.d.ts" */

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
  const { creator } = challenge;
  const title = mine
    ? [waitingFor(challenge, me)]
    : [creator.name, " ", botMark(creator), " offers a game"];
  return h(
    "li",
    { class: "row offer-row" },
    h("strong", {}, title),
    h("span", { class: "quiet terms" }, [...terms, order(challenge, me)].join(" · ")),
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
  return missing.length ? `Waiting for ${missing.join(" and ")}` : "Waiting for an opponent";
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
    return `${seats[0] ?? "anybody"} goes first`;
  }
  const first = creator.name === me ? seats[0] === me : seats[0] !== creator.name;
  return first ? "you go first" : "you go second";
}

/**
 * @param {GameSummary} game
 * @param {Session} session
 * @param {Child} [progress] shown for a running game; by default the number of turns
 */
export function gameRow(game, session, progress = counted(game.plies, "turn")) {
  const { you, catalogue } = session;
  const kinds = catalogue.kinds(game.setup.game);
  const seat = seatOf(game, you);
  const sides = game.players.map((player, index) => side(game, player, index, kinds));
  const isRunning = game.state === "playing";
  const verb = isRunning ? (seat === null ? "Watch" : "Continue") : "Replay";
  const terms = [...placeOf(game), ...termsOf(game.setup, catalogue)];
  return h(
    "li",
    { class: seat !== null && !isRunning ? "row own" : "row" },
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
        h("span", { class: "sides" }, sides),
        h("span", { class: "quiet" }, terms.join(" · ")),
        h("span", { class: "quiet" }, isRunning ? progress : ending(game, seat)),
      ),
      h("span", { class: "row-verb" }, verb),
    ),
  );
}

/**
 * @param {GameSummary} game
 * @param {Player} player
 * @param {number} index
 * @param {number} kinds
 */
function side(game, player, index, kinds) {
  return h(
    "span",
    { class: game.result?.winner === index + 1 ? "side won" : "side" },
    colourDots(moverOf(index), kinds),
    player.name,
    botMark(player),
  );
}

/**
 * The result of a finished game, and when it ended.
 * @param {GameSummary} game
 * @param {number | null} seat
 * @returns {Child[]}
 */
function ending({ result, players, ended_at: ended }, seat) {
  const own = players.map((player, index) => index + 1 === seat ? { name: "You" } : player);
  return [
    result && h("span", { class: seat === null ? null : "outcome" }, resultTitle(result, own)),
    ended && " · ",
    ended && h("time", { datetime: ended }, momentText(ended)),
  ];
}

/**
 * The tournament that a game belongs to, if there is one.
 * @param {GameSummary} game
 */
function placeOf({ tournament }) {
  return tournament ? [`${tournament.name}, round ${tournament.round}`] : [];
}
