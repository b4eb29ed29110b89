/** The front page: start a game, accept an offer, watch others. */

import { hiddenUntilReady } from "../shared/arrival.js";
import { h, replace } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { Parts } from "../shared/parts.js";
import { termsOf } from "../shared/terms.js";
import { SetupForm } from "../setup/setup_form.js";
import { FinishedGames } from "./finished_games.js";
import { lastLevel } from "./level_buttons.js";
import { newcomerOffer } from "./newcomer.js";
import { botButtons, botGame } from "./opponents.js";
import { OwnGames } from "./own_games.js";
import { challengeRow, gameRow } from "./rows.js";
import { warmingSentences } from "./warming.js";

/** @import { Child } from "../shared/dom.js" */
/** @import { Areas } from "../shared/areas.js" */
/** @import { Session } from "../shared/session.js" */
/** @import { Challenge, Player } from "../shared/wire.d.ts" */
/** @import { Seats } from "./opponents.js" */

/** Who goes first, as a part of the terms of a game. */
const ORDER_WORDS = {
  random: t("lobby.order.random"),
  first: t("lobby.order.first"),
  second: t("lobby.order.second"),
};

export class LobbyPage {
  /** @type {SetupForm | null} */
  form = null;
  /** @type {null} */
  site = null;
  /** @type {(() => void)[]} */
  #endings = [];
  #parts = new Parts();

  /**
   * @param {Session} session
   * @param {Areas} areas
   */
  constructor(session, areas) {
    this.session = session;
    this.areas = areas;
    this.title = t("lobby.title");
    this.opponents = h("div", { class: "opponents" });
    this.terms = h("p", { class: "quiet", role: "status", "aria-label": t("lobby.chosen_game") });
    this.setupPlace = h("div", {}, this.opponents);
    this.mine = new OwnGames(session);
    this.offers = h("section", {
      class: "panel offers-list",
      "aria-label": t("lobby.challenges.title"),
    });
    this.running = h("section", { class: "panel", "aria-label": t("common.live_games") });
    this.panels = areas.frontPanels.map(({ words, source, draw }) => {
      const element = h("section", { class: "panel", "aria-label": words });
      return { element, source, draw };
    });
    this.finished = new FinishedGames(session);
    this.links = h("p", { class: "lobby-links" });
    this.element = h(
      "main",
      { class: "lobby", id: "page", tabindex: -1 },
      h(
        "header",
        { class: "hero" },
        h("h1", {}, "Bluestone"),
        h("p", {}, t("lobby.introduction")),
        this.links,
      ),
      newcomerOffer(),
      h("section", { class: "panel start", "aria-label": t("common.new_game") }, this.setupPlace),
      h(
        "div",
        { class: "lists" },
        this.mine.element,
        this.offers,
        this.running,
        ...this.panels.map(({ element }) => element),
        this.finished.element,
      ),
    );
    this.reveal = hiddenUntilReady(this.element);
    this.#endings.push(session.lobbyChanged.on(() => this.#draw()));
    this.#loadForm();
    this.#draw();
  }

  /** The game that the page is about: the one chosen in the form. */
  get subject() {
    return this.form?.game ?? null;
  }

  dispose() {
    this.#endings.forEach((end) => end());
    this.mine.dispose();
  }

  async #loadForm() {
    try {
      this.form = await SetupForm.made(
        await this.session.catalogue.load(),
        this.opponents,
        this.session,
        this.areas,
      );
      this.form.element.addEventListener("change", () => this.#draw());
      replace(this.setupPlace, this.form.element);
      this.#draw();
    } catch {
      const again = h(
        "button",
        { type: "button", onclick: () => this.#loadForm() },
        t("common.try_again"),
      );
      replace(this.setupPlace, h("p", {}, t("common.games_failed"), " "), again);
      this.reveal();
    }
  }

  #draw() {
    const { session } = this;
    const challenges = [...session.challenges.values()];
    const bots = (session.lobby?.players ?? []).filter((player) => player.kind === "bot");
    const warming = session.lobby?.warming ?? [];
    const shown = [bots, warming, session.lobby === null, lastLevel()];
    this.form?.update();
    this.#showTerms();
    this.#parts.draw(this.opponents, shown, () => this.#opponents(bots));
    this.mine.update(challenges.filter((each) => this.#isMine(each)));
    this.#drawOffers(challenges.filter((each) => !this.#isMine(each) && this.#isForAnybody(each)));
    this.#drawRunning();
    for (const { element, source, draw } of this.panels) {
      this.#parts.draw(element, [source(session), this.form === null], () => draw(session));
    }
    this.finished.update();
    this.#drawLinks();
    if (this.form !== null && session.lobby !== null) {
      this.reveal();
    }
  }

  #drawLinks() {
    const name = this.session.you?.name;
    const link = (/** @type {string} */ href, /** @type {string} */ words) =>
      h("a", { href, "data-link": true, "data-key": href }, words);
    this.#parts.draw(this.links, [name], () => [
      ...this.areas.frontLinks(this.session).map(({ href, words }) => link(href, words)),
    ]);
  }

  /**
   * Draw the challenges in a section of fixed height, so that a new one moves nothing on the page.
   * @param {Challenge[]} offers
   */
  #drawOffers(offers) {
    const { session } = this;
    const me = session.you?.name ?? "";
    this.#parts.draw(this.offers, [offers, me, this.form === null], () => [
      h(
        "h2",
        {},
        offers.length > 1
          ? t("lobby.challenges.title_with_number", { number: offers.length })
          : t("lobby.challenges.title"),
      ),
      h(
        "div",
        {
          class: "offers-place",
          tabindex: offers.length > 1 ? 0 : null,
          role: offers.length > 1 ? "region" : null,
          "aria-label": offers.length > 1
            ? t("lobby.challenges.number", { n: offers.length })
            : null,
        },
        offers.length
          ? h("ul", { class: "rows" }, offers.map((each) => challengeRow(each, me, session)))
          : h("p", { class: "quiet" }, t("lobby.challenges.none")),
      ),
    ]);
  }

  #drawRunning() {
    const { session } = this;
    const { myGames, you } = session;
    const games = session.lobby?.games.filter(({ state }) => state === "playing") ?? [];
    const others = games.filter((game) => !myGames.includes(game));
    const none = myGames.length ? t("lobby.live.no_others") : t("lobby.live.none");
    const empty = session.lobby === null ? t("lobby.connecting") : none;
    this.#parts.draw(this.running, [others, you, empty, this.form === null], () => [
      h("h2", {}, t("common.live_games")),
      others.length
        ? h("ul", { class: "rows" }, others.map((game) => gameRow(game, session)))
        : h("p", { class: "quiet" }, empty),
    ]);
  }

  /**
   * Whether this person has made or accepted a challenge, and waits.
   * @param {Challenge} challenge
   */
  #isMine({ creator, accepted }) {
    const me = this.session.you?.name ?? "";
    return creator.name === me || accepted.includes(me);
  }

  /**
   * Whether any player may accept it. Challenges by name are shown at the edge of every page.
   * @param {Challenge} challenge
   */
  #isForAnybody({ seats }) {
    return seats.includes(null);
  }

  /** Say which game a press on a level starts. */
  #showTerms() {
    const { form, session } = this;
    const terms = form?.element.checkValidity()
      ? [...termsOf(form.setup(), session.catalogue), ORDER_WORDS[form.order]]
      : [];
    this.terms.textContent = terms.join(" · ");
  }

  /**
   * @param {Player[]} bots
   * @returns {Child[]}
   */
  #opponents(bots) {
    const { lobby } = this.session;
    if (lobby === null) {
      return [h("p", { class: "quiet" }, t("lobby.connecting"))];
    }
    const button = { type: "button", "data-needs-connection": true };
    const invite = { ...button, "data-key": "anybody", onclick: () => this.#challenge(null) };
    const friend = { ...button, "data-key": "friend", onclick: () => this.#invite() };
    return [
      ...botButtons(bots, this.terms, (name) => this.#challenge(name)),
      ...warmingSentences(lobby.warming, bots.length > 0).map((text) =>
        h("p", { class: "quiet", role: "status" }, text)
      ),
      h(
        "div",
        { class: "buttons" },
        h("button", friend, t("lobby.invite_friend")),
        h("button", invite, t("lobby.challenges.create")),
        bots.length > 0 && botGame(bots, (seats) => this.#offer(seats, false)),
      ),
    ];
  }

  /** @param {string | null} opponent null: any player */
  #challenge(opponent) {
    const { seats, random } = this.#seats(opponent);
    this.#offer(seats, random);
  }

  /** Make a private challenge, and show its link. */
  #invite() {
    const { seats, random } = this.#seats(null);
    if (this.form?.valid) {
      this.session.invite({ setup: this.form.setup(), seats, random_seats: random });
    }
  }

  /**
   * @param {string | null} opponent null: any player
   * @returns {{seats: Seats, random: boolean}}
   */
  #seats(opponent) {
    const me = this.session.you?.name ?? null;
    const order = this.form?.order ?? "random";
    return {
      seats: order === "second" ? [opponent, me] : [me, opponent],
      random: order === "random",
    };
  }

  /**
   * @param {Seats} seats
   * @param {boolean} random
   */
  #offer(seats, random) {
    if (this.form?.valid) {
      this.session.challenge({ setup: this.form.setup(), seats, random_seats: random });
    }
  }
}
