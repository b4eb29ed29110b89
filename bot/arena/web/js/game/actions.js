/** Resign, draw, abort, rematch: what players can do apart from placing stones. */

import { isLocal, isShared } from "../shared/device_games.js";
import { confirmed, notifyOf } from "../shared/dialogs.js";
import { h, replace } from "../shared/dom.js";
import { other, turnsPlayed } from "../shared/games.js";
import { loadPart } from "../shared/loading.js";
import { loadMessages, t } from "../shared/messages.js";
import { isBare } from "../shared/over_the_board.js";
import { headline, message, outcome, reason } from "./ending.js";
import { Hint } from "./hint.js";
import { PlanCount } from "./plan_count.js";
import { offerWords, questionOf } from "./questions.js";
import { Rematch } from "./rematch.js";

/** @import { GameTexts } from "../rules/texts.js" */
/** @import { Areas, OpenPanel } from "../shared/areas.js" */
/** @import { Session } from "../shared/session.js" */
/** @import { GameAction, GameState, Result, Seat } from "../shared/wire.d.ts" */

/** @typedef {GameAction["action"]} Action */

/** The server's pause between two offers of a player, in turns of both. */
const PAUSE_TURNS = 6;

export class GameActions {
  /** The number of turns when an offer of this person was last open, to draw and to abort. */
  #offeredAt = { draw_offer: -Infinity, abort_offer: -Infinity };
  /** The number of turns when a request of this person to take back was last open. */
  #askedAt = -1;

  /**
   * @param {Session} session
   * @param {Areas} areas
   */
  constructor(session, areas) {
    this.session = session;
    this.areas = areas;
    this.rematch = new Rematch(session);
    this.hint = new Hint(session);
    this.planCount = new PlanCount(session);
    /** Panels of other capabilities, once they are loaded. @type {OpenPanel[]} */
    this.panels = [];
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
    for (const kind of /** @type {const} */ (["draw_offer", "abort_offer"])) {
      if (seat !== null && game[kind] === seat) {
        this.#offeredAt[kind] = game.turns.length;
      }
    }
    if (seat !== null && game.takeback_offer === seat) {
      this.#askedAt = game.turns.length;
    }
    const parts = this.#bannerFor(game, seat, texts);
    this.banner.hidden = parts.length === 0 || (game.result !== null && !live);
    replace(this.banner, ...parts);
    if (seat === null && !isShared(game)) {
      return;
    }
    seat !== null && this.panels.forEach((panel) => panel.update(game, seat));
    const buttons = game.state === "playing" && seat !== null
      ? this.#buttons(game, seat)
      : this.areas.afterGame(game, this.session.you);
    replace(this.element, this.panels.map(({ button }) => button), ...buttons);
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
    const offer = seat !== null && OFFERS.find(({ kind }) => game[kind] === other(seat));
    if (offer) {
      return [
        h("strong", {}, offer.words(game.players[other(seat) - 1]?.name ?? "")),
        h(
          "span",
          { class: "choices" },
          this.#button(game, offer.accept, t("common.accept"), "primary"),
          this.#button(game, offer.decline, t("common.decline"), ""),
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
    const mayAskAgain = (seat !== null || isShared(game)) && tournament === null;
    if (mayAskAgain) {
      this.rematch.update(game, seat ?? 1);
    }
    const next = tournament
      ? { href: `/tournament/${tournament.tournament_id}`, words: t("game.to_the_tournament") }
      : { href: "/", words: t("common.new_game") };
    return [
      h(
        "div",
        {},
        h("strong", { class: "result-title" }, headline(game, seat)),
        h("p", { class: "result-message" }, message(game, result, seat)),
        " ",
        h("p", { class: "result-reason" }, reason(game, result, texts, seat)),
      ),
      h(
        "div",
        { class: "buttons" },
        mayAskAgain && this.rematch.element,
        this.areas.gameLinks(game).map(({ href, words }) =>
          h("a", { class: "button", href, "data-link": true }, words)
        ),
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
    const mayAgree = game.tournament === null && game.players[other(seat) - 1]?.kind !== "bot";
    const [draw, note] = early ? [] : this.#offer(game, seat, "draw");
    const leave = early && game.tournament === null
      ? this.#button(game, "abort", t("game.abort.do"), "quiet-button")
      : this.#button(game, "resign", t("game.resign.do"), "quiet-button");
    return [
      ...this.#plan(game, seat),
      ...this.#hint(game, seat),
      ...this.#takeback(game, seat),
      ...(early || !mayAgree ? [] : this.#offer(game, seat, "abort")),
      // In one row, so that neither button is alone in a second one.
      h("span", { class: "endings" }, draw, leave),
      note,
    ];
  }

  /**
   * The button that offers a draw or the end without a result, or what came of it.
   * @param {GameState} game
   * @param {Seat} seat
   * @param {"draw" | "abort"} what
   */
  #offer(game, seat, what) {
    const label = offerWords(game, what);
    switch (this.#offerState(game, seat, `${what}_offer`)) {
      case "open":
        return used(label, t(`game.${what}.offered`));
      case "declined":
        return used(label, t(`game.${what}.declined`));
      case "possible":
        return [this.#button(game, `offer_${what}`, label, "quiet-button")];
      default:
        return [];
    }
  }

  /**
   * @param {GameState} game
   * @param {Seat} seat
   * @param {"draw_offer" | "abort_offer"} kind
   */
  #offerState(game, seat, kind) {
    const [offer, offeredAt, ply] = [game[kind], this.#offeredAt[kind], game.turns.length];
    if (offer !== null) {
      return offer === seat ? "open" : "theirs";
    }
    return offeredAt === ply ? "declined" : ply < offeredAt + PAUSE_TURNS ? "pause" : "possible";
  }

  /**
   * The button for conditional turns, while the opponent is to move in a game by correspondence.
   * @param {GameState} game
   * @param {Seat} seat
   */
  #plan(game, seat) {
    const isSlow = ["correspondence", "none"].includes(game.setup.clock.kind);
    if (!isSlow || game.to_play === seat || game.players[2 - seat]?.kind === "bot") {
      return [];
    }
    const open = async () => {
      const parts = () => Promise.all([import("./plan_dialog.js"), loadMessages("plan")]);
      const [plan] = (await loadPart(parts)) ?? [];
      const lines = await plan?.openPlan(this.session, game);
      typeof lines === "number" && this.planCount.know(lines);
    };
    this.planCount.follow(game);
    const { lines: n } = this.planCount;
    const label = n > 0 ? t("game.plan_count", { n }) : t("game.plan");
    return [requestButton("plan", label, "quiet-button", open)];
  }

  /**
   * The button that asks for a hint, and the hint in words.
   * @param {GameState} game
   * @param {Seat} seat
   */
  #hint(game, seat) {
    const { hint } = this;
    hint.follow(game);
    if (!hint.isAllowed(game, seat) || isBare(game, this.session.settings.value)) {
      return [];
    }
    const turn = (hint.turn ?? "").replaceAll(",", " ");
    const words = hint.isAsking
      ? t("game.hint.asking")
      : hint.turn !== null && t("game.hint.shown", { turn });
    const ask = () => hint.ask(game);
    return words
      ? used(t("game.hint"), words)
      : [requestButton("hint", t("game.hint"), "quiet-button", ask)];
  }

  /**
   * The button that asks to take the last turn back, or what came of it.
   * @param {GameState} game
   * @param {Seat} seat
   */
  #takeback(game, seat) {
    if (game.takeback_offer === seat) {
      return used(t("game.takeback"), t("game.takeback_waits"));
    }
    const plies = game.to_play === seat && !isShared(game) ? 2 : 1;
    const isAllowed = !game.setup.rated && game.tournament === null;
    if (!isAllowed || game.turns.length < plies || game.takeback_offer !== null) {
      return [];
    }
    return this.#askedAt === game.turns.length
      ? used(t("game.takeback"), t("game.takeback_declined"))
      : [this.#button(game, "ask_takeback", t("game.takeback"), "quiet-button")];
  }

  /**
   * @param {GameState} game
   * @param {Action} action
   * @param {string} label
   * @param {string} style
   */
  #button(game, action, label, style) {
    const press = () => this.#act(game, action);
    return requestButton(action, label, style, press);
  }

  /**
   * @param {GameState} game
   * @param {Action} action
   */
  async #act(game, action) {
    const question = questionOf(game, action);
    const needsConnection = !isLocal(game.game_id);
    if (question && !(await confirmed(...question, { needsConnection }))) {
      return;
    }
    try {
      const { game_id, turns, takebacks } = game;
      // Sent a second time after a lost answer, it must not take a second turn back.
      const known = action.endsWith("_takeback") ? { ply: turns.length, takebacks } : {};
      const asked = { game_id, action, ...known };
      const answer = await this.session.connection.request("game.action", asked);
      this.session.games.accept(answer.game);
    } catch (error) {
      notifyOf(error);
    }
  }
}

/**
 * A button that sends a request.
 * @param {string} key
 * @param {string} label
 * @param {string} style
 * @param {() => void} press
 */
function requestButton(key, label, style, press) {
  const attributes = { type: "button", class: style, "data-key": key, onclick: press };
  return h("button", { ...attributes, "data-needs-connection": true }, label);
}

/**
 * A button that has been pressed, which stays so that the others keep their places, and what came
 * of it.
 * @param {string} label
 * @param {string} words
 */
function used(label, words) {
  return [
    h("button", { type: "button", class: "quiet-button", "aria-disabled": "true" }, label),
    h("p", { class: "action-note quiet", role: "status" }, words),
  ];
}

/** What an opponent may offer, the one that is shown first at the top. */
const OFFERS = /** @type {const} */ ([
  {
    kind: "takeback_offer",
    words: (/** @type {string} */ name) => t("game.takeback_asked", { name }),
    accept: "accept_takeback",
    decline: "decline_takeback",
  },
  {
    kind: "abort_offer",
    words: (/** @type {string} */ name) => t("game.abort.offered_by", { name }),
    accept: "accept_abort",
    decline: "decline_abort",
  },
  {
    kind: "draw_offer",
    words: (/** @type {string} */ name) => t("game.draw.offered_by", { name }),
    accept: "accept_draw",
    decline: "decline_draw",
  },
]);
