/** The front page: start a game, accept an offer, watch others. */

import { hiddenUntilReady } from "../shared/arrival.js";
import { h, replace } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { Parts } from "../shared/parts.js";
import { STATIC } from "../shared/site.js";
import { load, save } from "../shared/storage.js";
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
/** @import { Challenge, GameSetup, Player } from "../shared/wire.d.ts" */
/** @import { Seats } from "./opponents.js" */

/** Whether the person wants bots on this device, also while there is a server. */
const PLAYS_HERE = "plays_here";
/** A page that is so long without a connection offers games on this device. */
const ALONE_AFTER_MS = 3_000;

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
  /** Whether the page has been without a connection for a while, or its site has no server. */
  #isAlone = STATIC !== null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #waiting;

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
    this.panels = areas.frontPanels.map(({ words, source, draw, isOwn = false }) => {
      const element = h("section", { class: "panel", "aria-label": words, hidden: true });
      return { element, source, draw, isOwn };
    });
    const panels = (/** @type {boolean} */ own) =>
      this.panels.filter(({ isOwn }) => isOwn === own).map(({ element }) => element);
    this.finished = new FinishedGames(session);
    this.links = h("p", { class: "lobby-links" });
    this.element = h(
      "main",
      { class: "lobby", id: "page", tabindex: -1 },
      h(
        "header",
        { class: "hero" },
        h("h1", {}, "Bluestone"),
        h("p", {}, STATIC ? t("lobby.here.introduction") : t("lobby.introduction")),
        this.links,
      ),
      newcomerOffer(),
      h("section", { class: "panel start", "aria-label": t("common.new_game") }, this.setupPlace),
      h(
        "div",
        { class: "lists" },
        !STATIC && this.mine.element,
        panels(true),
        STATIC ? [] : [this.offers, this.running],
        panels(false),
        !STATIC && this.finished.element,
      ),
    );
    this.reveal = hiddenUntilReady(this.element);
    this.#endings.push(
      session.lobbyChanged.on(() => this.#draw()),
      session.gamesAdded.on(() => this.finished.askAgain()),
      session.connection.statusChanged.on(() => this.#noteStatus()),
      () => clearTimeout(this.#waiting),
    );
    this.#loadForm();
    this.#noteStatus();
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

  #noteStatus() {
    if (STATIC) {
      return;
    }
    if (this.session.connection.online) {
      clearTimeout(this.#waiting);
      this.#waiting = undefined;
      this.#beAlone(false);
    } else {
      const wait = navigator.onLine ? ALONE_AFTER_MS : 0;
      this.#waiting ??= setTimeout(() => this.#beAlone(true), wait);
    }
  }

  /** @param {boolean} isAlone */
  #beAlone(isAlone) {
    if (isAlone !== this.#isAlone) {
      this.#isAlone = isAlone;
      this.#draw();
    }
  }

  /** The bots that play the chosen game without the server. */
  get #botsHere() {
    return this.form ? this.areas.botsHere(this.form.game) : [];
  }

  /** Whether a press on a level starts a game on this device. */
  get #playsHere() {
    return this.#botsHere.length > 0 && (this.#isAlone || load(PLAYS_HERE, false));
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
    const here = [this.#botsHere, this.#playsHere, this.#isAlone];
    const shown = [bots, warming, session.lobby === null, lastLevel(), here];
    this.form?.update();
    this.form?.forServer(!this.#isAlone || this.#botsHere.length === 0);
    this.form?.forDevice(this.#playsHere);
    this.#showTerms();
    this.#parts.draw(this.opponents, shown, () => this.#opponents(bots));
    this.mine.update(challenges.filter((each) => this.#isMine(each)));
    this.#drawOffers(challenges.filter((each) => !this.#isMine(each) && this.#isForAnybody(each)));
    this.#drawRunning();
    for (const { element, source, draw } of this.panels) {
      this.#parts.draw(element, [source(session), this.form === null], () => {
        const parts = draw(session);
        element.hidden = parts.length === 0;
        return parts;
      });
    }
    this.finished.update();
    this.#drawLinks();
    if (this.form !== null && (session.lobby !== null || this.#isAlone)) {
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
      ? [...termsOf(this.#setup(form), session.catalogue), ORDER_WORDS[form.order]]
      : [];
    this.terms.textContent = terms.join(" · ");
  }

  /**
   * What is played: on this device without a clock.
   * @param {SetupForm} form
   * @returns {GameSetup}
   */
  #setup(form) {
    const setup = form.setup();
    return this.#playsHere ? { ...setup, clock: { kind: "none" }, rated: false } : setup;
  }

  /**
   * @param {Player[]} bots
   * @returns {Child[]}
   */
  #opponents(bots) {
    const { lobby } = this.session;
    const here = this.#botsHere;
    if (here.length > 0 && this.#isAlone) {
      const words = STATIC ? t("lobby.here.kept") : t("lobby.here.offline");
      return [
        ...this.#levelsHere(here),
        h("p", { class: "quiet" }, words),
        h("div", { class: "buttons" }, this.#startsHere()),
      ];
    }
    if (STATIC && this.form) {
      return [h("p", {}, t("lobby.here.impossible"))];
    }
    if (lobby === null) {
      return [h("p", { class: "quiet" }, t("lobby.connecting"))];
    }
    const button = { type: "button", "data-needs-connection": true };
    const invite = { ...button, "data-key": "anybody", onclick: () => this.#challenge(null) };
    const friend = { ...button, "data-key": "friend", onclick: () => this.#invite() };
    return [
      ...(this.#playsHere
        ? this.#levelsHere(here)
        : botButtons(bots, this.terms, (name) => this.#challenge(name))),
      here.length > 0 && this.#choiceOfDevice(),
      ...warmingSentences(lobby.warming, bots.length > 0).map((text) =>
        h("p", { class: "quiet", role: "status" }, text)
      ),
      h(
        "div",
        { class: "buttons" },
        h("button", friend, t("lobby.invite_friend")),
        h("button", invite, t("lobby.challenges.create")),
        this.#startsHere(),
        bots.length > 0 && botGame(bots, (seats) => this.#offer(seats, false)),
      ),
    ];
  }

  /** @param {Player[]} bots */
  #levelsHere(bots) {
    const play = (/** @type {string} */ name) => {
      const { seats, random } = this.#seats(name);
      this.#offer(seats, random, this.form && this.#setup(this.form));
    };
    return botButtons(bots, this.terms, play, true);
  }

  #startsHere() {
    const chosen = () => this.form?.valid ? this.form.setup() : null;
    return this.areas.startsHere(this.form?.game ?? "", this.session, chosen);
  }

  /** A quiet second choice: the levels of this device instead of those of the server. */
  #choiceOfDevice() {
    const choose = (/** @type {Event} */ { target }) => {
      save(PLAYS_HERE, target instanceof HTMLInputElement && target.checked);
      this.#draw();
    };
    const attributes = { type: "checkbox", "data-key": "here", checked: this.#playsHere };
    return h(
      "label",
      { class: "here quiet" },
      h("input", { ...attributes, onchange: choose }),
      t("lobby.here.choice"),
    );
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
   * @param {GameSetup | null} [setup] by default what the form says
   */
  #offer(seats, random, setup = null) {
    if (this.form?.valid) {
      this.session.challenge({
        setup: setup ?? this.form.setup(),
        ...{ seats, random_seats: random },
      });
    }
  }
}
