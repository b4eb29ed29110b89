/** What the page asks before a player ends a game. */

import { isShared } from "../shared/device_games.js";
import { t } from "../shared/messages.js";

/** @import { GameAction, GameState } from "../shared/wire.d.ts" */

/** @typedef {GameAction["action"]} Action */
/** A question, its consequence, and the button that does it. @typedef {[string, string, string]} Question */

/** @type {Partial<Record<Action, Question>>} */
const QUESTIONS = {
  resign: [t("game.resign.question"), t("game.resign.consequence"), t("game.resign.do")],
  abort: [t("game.abort.question"), t("game.abort.consequence"), t("game.abort.do")],
  offer_abort: [
    t("game.abort.offer_question"),
    t("game.abort.offer_consequence"),
    t("game.abort.offer"),
  ],
  accept_abort: [t("game.abort.question"), t("game.abort.consequence"), t("common.accept")],
  offer_draw: [t("game.draw.question"), t("game.draw.consequence"), t("game.draw.offer")],
  accept_draw: [
    t("game.draw.accept_question"),
    t("game.draw.accept_consequence"),
    t("common.accept"),
  ],
};

/** Two people on one device agree at once. @type {Record<"offer_abort" | "offer_draw", Question>} */
const AGREEMENTS = {
  offer_abort: [t("game.abort.question"), t("game.abort.consequence"), t("game.abort.do")],
  offer_draw: [
    t("game.draw.agree_question"),
    t("game.draw.accept_consequence"),
    t("game.draw.agree"),
  ],
};

/**
 * What is asked before an action; undefined if nothing is. On a shared device the question says who
 * gives up.
 * @param {GameState} game
 * @param {Action} action
 * @returns {Question | undefined}
 */
export function questionOf(game, action) {
  const asked = QUESTIONS[action];
  if (!asked || !isShared(game)) {
    return asked;
  }
  if (action === "offer_abort" || action === "offer_draw") {
    return AGREEMENTS[action];
  }
  const [question, ...rest] = asked;
  const name = game.players[game.to_play - 1]?.name ?? "";
  return action === "resign" ? [`${name} · ${question}`, ...rest] : asked;
}

/**
 * The button that offers a draw or the end without a result, or that agrees on it.
 * @param {GameState} game
 * @param {"draw" | "abort"} what
 */
export function offerWords(game, what) {
  return isShared(game) ? AGREEMENTS[`offer_${what}`][2] : t(`game.${what}.offer`);
}
