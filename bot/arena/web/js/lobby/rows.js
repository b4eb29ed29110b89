/** The lines of the lobby's lists: offers and games. */

import { isShared } from "../shared/device_games.js";
import { h } from "../shared/dom.js";
import { moverOf, seatOf } from "../shared/games.js";
import { listed, nodes, t } from "../shared/messages.js";
import { playerLink } from "../shared/player_link.js";
import { ratingMark } from "../shared/ratings.js";
import { resultTitle } from "../shared/sentences.js";
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
      {
        type: "button",
        class: style,
        "data-key": `${label}-${id}`,
        "data-needs-connection": true,
        onclick: act,
      },
      label,
    );
  const title = mine
    ? [challenge.private ? t("lobby.waiting_friend") : waitingFor(challenge, me)]
    : nodes("lobby.row.offers", { name: creatorName(challenge) });
  return h(
    "li",
    { class: "row offer-row" },
    h("strong", {}, title),
    h("span", { class: "quiet terms" }, [...terms, order(challenge, me)].join(" · ")),
    h(
      "div",
      { class: "buttons" },
      mine && challenge.private && h(
        "a",
        {
          class: "button primary",
          href: `/invite/${id}`,
          "data-link": true,
          "data-key": `l-${id}`,
        },
        t("lobby.show_link"),
      ),
      mine && press(t("common.cancel"), () => session.cancel(id)),
      !mine && press(t("common.accept"), () => session.accept(id), "primary"),
      forMe && press(t("common.decline"), () => session.decline(id)),
    ),
  );
}

/** @param {Challenge} challenge */
function creatorName({ challenge_id: id, creator, setup }) {
  const link = playerLink(creator.name, `creator-${id}`);
  return h("span", {}, link, " ", botMark(creator), ratingMark(creator, setup.game));
}

/**
 * @param {Challenge} challenge
 * @param {string} me
 */
function waitingFor({ seats, accepted }, me) {
  const missing = seats.flatMap((name) =>
    name === null || name === me || accepted.includes(name) ? [] : [name]
  );
  return missing.length
    ? t("lobby.row.waiting_for", { names: listed(missing) })
    : t("lobby.row.waiting");
}

/**
 * @param {Challenge} challenge
 * @param {string} me
 */
function order({ seats, random_seats: random, creator }, me) {
  if (random) {
    return t("lobby.order.random");
  }
  if (!seats.includes(creator.name)) {
    return seats[0] ? t("lobby.order.other", { name: seats[0] }) : t("lobby.order.anybody");
  }
  const first = creator.name === me ? seats[0] === me : seats[0] !== creator.name;
  return first ? t("lobby.order.first") : t("lobby.order.second");
}

/**
 * @param {GameSummary} game
 * @param {Session} session
 * @param {Child} [progress] shown for a running game; by default the number of turns
 */
export function gameRow(game, session, progress = t("common.turns", { n: game.plies })) {
  const { you, catalogue } = session;
  const kinds = catalogue.kinds(game.setup.game);
  const seat = seatOf(game, you);
  const sides = game.players.map((player, index) => side(game, player, index, kinds));
  const isRunning = game.state === "playing";
  const verb = isRunning
    ? (seat === null && !isShared(game) ? t("common.watch") : t("lobby.row.continue"))
    : t("common.replay");
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
    ratingMark(player, game.setup.game),
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
  const names = players.map(({ name }) => name);
  return [
    result &&
    h("span", { class: seat === null ? null : "outcome" }, resultTitle(result, names, seat)),
    ended && " · ",
    ended && h("time", { datetime: ended }, momentText(ended)),
  ];
}

/**
 * The tournament of a game; nothing for other games.
 * @param {GameSummary} game
 */
function placeOf({ tournament }) {
  return tournament
    ? [t("common.tournament_place", { name: tournament.name, round: tournament.round })]
    : [];
}
