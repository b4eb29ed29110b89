/** Choosing what to play: game, board, rules, options, clock, who goes first. */

import { guideLink } from "../shared/guides.js";
import { gameTexts } from "../rules/texts.js";
import { h, replace } from "../shared/dom.js";
import { hasMessage, t } from "../shared/messages.js";
import { card, chip, fieldset } from "../shared/setup_fields.js";
import { load, save } from "../shared/storage.js";
import { drawBoard } from "./board_chooser.js";
import { ClockFields } from "./clock_fields.js";
import { GameFields } from "./game_fields.js";

/** @import { GameTexts } from "../rules/texts.js" */
/** @import { GameOffer, Offers } from "../shared/api.js" */
/** @import { Areas, SetupField } from "../shared/areas.js" */
/** @import { Session } from "../shared/session.js" */
/** @import { GameSetup, TimeControl } from "../shared/wire.d.ts" */
/** @import { GameChoice } from "./game_fields.js" */

/** @typedef {"random" | "first" | "second"} Order */

/** @type {[Order, string][]} */
const ORDERS = [
  ["random", t("lobby.setup.random")],
  ["first", t("lobby.setup.me")],
  ["second", t("lobby.setup.opponent")],
];

export class SetupForm {
  /**
   * The fields of each game.
   * @type {Map<string, {offer: GameOffer, fields: GameFields}>}
   */
  #games = new Map();

  /**
   * A form with the page's texts about each game.
   * @param {Offers} offers
   * @param {Element | null} opponents is shown after the choice of the game; the form asks who goes
   *   first only if it is given
   * @param {Session} session
   * @param {Areas} areas
   */
  static async made({ games, clocks }, opponents, session, areas) {
    const known = games.map(async (offer) => ({ offer, texts: await gameTexts(offer.game) }));
    const more = await areas.setupFields(opponents !== null, session);
    return new SetupForm(await Promise.all(known), clocks, opponents, more);
  }

  /**
   * @param {{offer: GameOffer, texts: GameTexts}[]} games
   * @param {TimeControl[]} clocks
   * @param {Element | null} opponents
   * @param {SetupField[]} more of capabilities
   */
  constructor(games, clocks, opponents, more) {
    const kept = load("setup", { game: "", order: "random", choices: {} });
    /** @type {Record<string, Partial<GameChoice>>} */
    const choices = kept.choices ?? {};
    for (const { offer, texts } of games) {
      const fields = new GameFields(offer, texts, choices[offer.game] ?? {});
      this.#games.set(offer.game, { offer, fields });
    }
    this.game = this.#games.has(kept.game) ? kept.game : (games[0]?.offer.game ?? "");
    this.clock = new ClockFields(clocks);
    this.more = more;
    /** What only a server knows: the clock, and what capabilities add. */
    this.ofServer = [
      fieldset(t("lobby.setup.clock"), "clock-field", [this.clock.element]),
      ...more.map(({ words, style, element }) => fieldset(words, style, [element])),
    ];
    this.note = h("p", { class: "quiet" });
    this.gamePlace = h("div", {});
    this.element = h(
      "form",
      {
        class: "setup",
        "aria-label": t("lobby.setup.title"),
        onsubmit: (/** @type {Event} */ event) => event.preventDefault(),
      },
      games.length > 1 &&
        fieldset(t("common.game"), "games", [
          ...games.map(({ offer }) => this.#card(offer)),
          this.note,
        ]),
      opponents,
      this.gamePlace,
      this.ofServer,
      opponents && fieldset(
        t("lobby.setup.order"),
        "chips",
        ORDERS.map(([value, label]) => chip("order", value, label, kept.order)),
      ),
    );
    this.#show();
    this.update();
    this.element.addEventListener("change", () => this.#changed());
  }

  /** @param {GameOffer} offer */
  #card({ game, title, boards: [board = ""] }) {
    const picture = h("span", { class: "board-picture" });
    drawBoard(picture, null, game, board);
    const choice = { name: "game", value: game, checked: game === this.game, style: "game-card" };
    const learn = guideLink("learn", game, t("lobby.learn"), {
      class: "learn-link",
      "aria-label": t("lobby.learn_game", { game: title }),
    });
    return h("div", { class: "game-choice" }, card(choice, picture, h("span", {}, title)), learn);
  }

  #show() {
    const chosen = this.#games.get(this.game);
    this.note.textContent = hasMessage(`lobby.game_note.${this.game}`)
      ? t(`lobby.game_note.${this.game}`)
      : chosen?.offer.note ?? "";
    replace(this.gamePlace, chosen?.fields.element);
  }

  #changed() {
    const game = this.#field("game") || this.game;
    if (game !== this.game) {
      this.game = game;
      this.#show();
    }
    if (this.valid) {
      const fields = [...this.#games].map(([name, { fields }]) => [name, fields.value()]);
      save("setup", { game, order: this.order, choices: Object.fromEntries(fields) });
      this.clock.keep();
    }
    this.update();
  }

  /** Update what depends on the choice, or on the person, who may have got an account. */
  update() {
    const chosen = this.#games.get(this.game);
    if (chosen) {
      this.more.forEach((field) => field.update(this.#plain(), chosen.offer));
    }
  }

  /**
   * Show or hide what only a server knows.
   * @param {boolean} isForServer
   */
  forServer(isForServer) {
    this.ofServer.forEach((field) => field.hidden = !isForServer);
  }

  /**
   * Offer only what this device can play.
   * @param {boolean} isHere whether the game is played on this device
   */
  forDevice(isHere) {
    this.#games.forEach(({ fields }) => fields.forDevice(isHere));
  }

  get valid() {
    return this.element.reportValidity();
  }

  /** @returns {Order} */
  get order() {
    const chosen = this.#field("order");
    return ORDERS.find(([order]) => order === chosen)?.[0] ?? "random";
  }

  /** @param {string} name */
  #field(name) {
    return String(new FormData(this.element).get(name) ?? "");
  }

  /** @returns {GameSetup} */
  setup() {
    return this.more.reduce((setup, field) => field.applied(setup), this.#plain());
  }

  /** The setup without what capabilities add. @returns {GameSetup} */
  #plain() {
    const { board, rules, options } = this.#games.get(this.game)?.fields.value() ?? {
      board: "",
      rules: "",
      options: {},
    };
    return { game: this.game, board, rules, options, clock: this.clock.value(), rated: false };
  }
}
