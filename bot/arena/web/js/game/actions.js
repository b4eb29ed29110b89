/** Resign, draw, abort, rematch: what players can do apart from placing stones. */

import { confirmed, notifyOf } from "../shared/dialogs.js";
import { h, replace } from "../shared/dom.js";
import { other, turnsPlayed } from "../shared/games.js";
import { headline, message, outcome, reason } from "./ending.js";
import { Rematch } from "./rematch.js";

/** @import { GameTexts } from "../rules/texts.js" */
/** @import { Session } from "../shared/session.js" */
/** @import { GameAction, GameState, Result, Seat } from "../shared/wire.d.ts" */

/** @typedef {GameAction["action"]} Action */

export class GameActions {
  /** The number of turns when a draw offer of this person was last open. */
  #offeredAt = -1;

  /** @param {Session} session */
  constructor(session) {
    this.session = session;
    this.rematch = new Rematch(session);
    this.banner = h("section", { class: "banner", "aria-live": "polite", hidden: true });
    this.element = h("div", { class: "game-actions buttons" });
  }

  /**
   * @param {GameState} game
   * @param {Seat | null} seat
   * @param {GameTexts} texts
   * @param {boolean} live whether the newest position is shown
   */
  update(game, seat, texts, live) {
    if (seat !== null && game.draw_offer === seat) {
      this.#offeredAt = game.turns.length;
    }
    const parts = this.#bannerFor(game, seat, texts);
    this.banner.hidden = parts.length === 0 || (game.result !== null && !live);
    replace(this.banner, ...parts);
    const playing = seat !== null && game.state === "playing";
    replace(this.element, ...(playing ? this.#buttons(game, seat) : []));
  }

  /**
   * @param {GameState} game
   * @param {Seat | null} seat
   * @param {GameTexts} texts
   */
  #bannerFor(game, seat, texts) {
    if (game.result) {
      this.banner.dataset["outcome"] = outcome(game, seat);
      return this.#resultParts(game, game.result, seat, texts);
    }
    this.banner.dataset["outcome"] = "open";
    if (seat !== null && game.draw_offer === other(seat)) {
      return [
        h("strong", {}, `${game.players[other(seat) - 1]?.name} offers a draw.`),
        h(
          "span",
          { class: "choices" },
          this.#button(game, "accept_draw", "Accept", "primary"),
          this.#button(game, "decline_draw", "Decline", ""),
        ),
      ];
    }
    return [];
  }

  /**
   * @param {GameState} game
   * @param {Result} result
   * @param {Seat | null} seat
   * @param {GameTexts} texts
   */
  #resultParts(game, result, seat, texts) {
    const { tournament } = game;
    const mayAskAgain = seat !== null && tournament === null;
    if (mayAskAgain) {
      this.rematch.update(game, seat);
    }
    const next = tournament
      ? { href: `/tournament/${tournament.tournament_id}`, words: "To the tournament" }
      : { href: "/", words: "New game" };
    return [
      h(
        "div",
        {},
        h("strong", { class: "result-title" }, headline(game, seat)),
        h("p", { class: "result-message" }, message(game, result, seat)),
        " ",
        h("p", { class: "result-reason" }, reason(game, result, texts)),
      ),
      h(
        "div",
        { class: "buttons" },
        mayAskAgain && this.rematch.element,
        h("a", { class: "button", href: next.href, "data-link": true }, next.words),
      ),
    ];
  }

  /**
   * @param {GameState} game
   * @param {Seat} seat
   */
  #buttons(game, seat) {
    const early = turnsPlayed(game) < 2;
    const mayOffer = !early && game.draw_offer === null;
    const declined = mayOffer && this.#offeredAt === game.turns.length;
    return [
      game.draw_offer === seat
        ? h("span", { class: "quiet" }, "You have offered a draw.")
        : declined
        ? h("span", { class: "quiet" }, "Draw declined.")
        : mayOffer && this.#button(game, "offer_draw", "Offer a draw", "quiet-button"),
      early && game.tournament === null
        ? this.#button(game, "abort", "Abort", "quiet-button")
        : this.#button(game, "resign", "Resign", "quiet-button"),
    ];
  }

  /**
   * @param {GameState} game
   * @param {Action} action
   * @param {string} label
   * @param {string} style
   */
  #button(game, action, label, style) {
    const press = () => this.#act(game, action);
    return h("button", { type: "button", class: style, "data-key": action, onclick: press }, label);
  }

  /**
   * @param {GameState} game
   * @param {Action} action
   */
  async #act(game, action) {
    const question = QUESTIONS[action];
    if (question && !(await confirmed(...question))) {
      return;
    }
    try {
      const { game_id } = game;
      const answer = await this.session.connection.request("game.action", { game_id, action });
      this.session.games.accept(answer.game);
    } catch (error) {
      notifyOf(error);
    }
  }
}

/** @type {Partial<Record<Action, [string, string, string]>>} */
const QUESTIONS = {
  resign: ["Resign this game?", "Your opponent wins at once.", "Resign"],
  abort: ["Abort this game?", "It ends now without a result.", "Abort"],
  offer_draw: ["Offer a draw?", "Your opponent may accept it or decline it.", "Offer a draw"],
  accept_draw: ["Accept the draw?", "The game ends at once, with no winner.", "Accept"],
};
