/** The front page: start a game, take up an offer, watch others. */

import { h, replace } from "../shared/dom.js";
import { Parts } from "../shared/parts.js";
import { EarlierGames } from "./earlier_games.js";
import { lastLevel, levelButtons, withLevel } from "./level_buttons.js";
import { challengeRow, gameRow } from "./rows.js";
import { SetupForm } from "../setup/setup_form.js";
import { tournamentsInShort } from "./tournaments.js";
import { warmingSentences } from "./warming.js";

/** @import { Session } from "../shared/session.js" */
/** @import { Challenge, GameSummary, Player } from "../shared/wire.d.ts" */

export class LobbyPage {
  /** @type {SetupForm | null} */
  form = null;
  /** @type {null} */
  site = null;
  /** @type {(() => void)[]} */
  #endings = [];
  #parts = new Parts();

  /** @param {Session} session */
  constructor(session) {
    this.session = session;
    this.title = "Lobby";
    this.setupPlace = h("div", {});
    this.opponents = h("div", { class: "opponents" });
    this.offers = h("section", { class: "panel urgent", "aria-label": "Offers", hidden: true });
    this.mine = h("section", { class: "panel urgent", "aria-label": "Your games", hidden: true });
    this.running = h("section", { class: "panel", "aria-label": "Games now" });
    this.tournaments = h("section", { class: "panel", "aria-label": "Tournaments" });
    this.finished = h("div", {});
    const listed = () => ({
      shown: new Set(session.lobby?.games.map((game) => game.game_id)),
      me: session.you?.name ?? "",
    });
    this.earlier = new EarlierGames(listed, session.catalogue);
    const finished = h(
      "section",
      { class: "panel", "aria-label": "Finished games" },
      this.finished,
      this.earlier.element,
    );
    this.element = h(
      "main",
      { class: "lobby", id: "page", tabindex: -1 },
      h(
        "header",
        { class: "hero" },
        h("h1", {}, "Bluestone"),
        h(
          "p",
          {},
          "Board games for two in which a turn is two stones. Play bots and people, or watch them.",
        ),
      ),
      h(
        "section",
        { class: "panel start", "aria-label": "New game" },
        this.opponents,
        this.setupPlace,
      ),
      h(
        "div",
        { class: "lists" },
        this.mine,
        this.offers,
        this.running,
        this.tournaments,
        finished,
      ),
    );
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
  }

  async #loadForm() {
    try {
      this.form = await SetupForm.made(await this.session.catalogue.load());
      replace(this.setupPlace, this.form.element);
      this.#draw();
    } catch {
      const again = h("button", { type: "button", onclick: () => this.#loadForm() }, "Try again");
      replace(this.setupPlace, h("p", {}, "The list of games could not be loaded. "), again);
    }
  }

  #draw() {
    const { session } = this;
    const games = session.lobby?.games ?? [];
    const offers = [...session.challenges.values()].filter((each) => this.#matters(each));
    const bots = (session.lobby?.players ?? []).filter((player) => player.kind === "bot");
    const warming = session.lobby?.warming ?? [];
    const shown = [bots, warming, session.lobby === null, this.form === null, lastLevel()];
    this.#parts.draw(this.opponents, shown, () => this.#opponents(bots));
    this.#list(
      this.mine,
      "Your games",
      session.myGames.map((game) => ({ game })),
    );
    this.#list(
      this.offers,
      "Offers",
      offers.map((challenge) => ({ challenge })),
    );
    const running = games.filter((game) => game.state === "playing" && !this.#isMine(game));
    const finished = games.filter((game) => game.state === "finished");
    this.earlier.update(finished.map((game) => game.game_id));
    this.#list(
      this.running,
      "Games now",
      running.map((game) => ({ game })),
      session.myGames.length
        ? "Nobody else is playing at the moment."
        : "Nobody is playing at the moment.",
    );
    const tournaments = [session.lobby?.tournaments, session.mayHost, this.form === null];
    this.#parts.draw(this.tournaments, tournaments, () => tournamentsInShort(session));
    this.#list(
      this.finished,
      "Finished games",
      finished.map((game) => ({ game })),
      "The first finished game will be here.",
    );
  }

  /** @param {GameSummary} game */
  #isMine(game) {
    return this.session.myGames.includes(game);
  }

  /**
   * Whether the list shows it: what asks this person by name stands at the edge of every page.
   * @param {Challenge} challenge
   */
  #matters({ creator, seats, accepted }) {
    const me = this.session.you?.name ?? "";
    return creator.name === me || seats.includes(null) || accepted.includes(me);
  }

  /**
   * @param {HTMLElement} place
   * @param {string} title
   * @param {{game?: GameSummary, challenge?: Challenge}[]} rows
   * @param {string} [empty] without it, an empty section is hidden
   */
  #list(place, title, rows, empty) {
    place.hidden = rows.length === 0 && empty === undefined;
    const me = this.session.you?.name ?? "";
    // Their titles are only known with the form.
    this.#parts.draw(place, [rows, me, empty, this.form === null], () => [
      h("h2", {}, title),
      rows.length
        ? h(
          "ul",
          { class: "rows" },
          rows.map(({ game, challenge }) =>
            challenge
              ? challengeRow(challenge, me, this.session)
              : game && gameRow(game, me, this.session.catalogue)
          ),
        )
        : h("p", { class: "quiet" }, empty),
    ]);
  }

  /** @param {Player[]} bots */
  #opponents(bots) {
    if (this.session.lobby === null) {
      return [h("p", { class: "quiet" }, "Connecting to the server")];
    }
    const levels = withLevel(bots);
    return [
      ...(levels.length ? this.#levels(levels) : []),
      ...bots.filter((bot) => !bot.level).map((bot) => this.#playAgainst(bot)),
      ...warmingSentences(this.session.lobby.warming, bots.length > 0).map((text) =>
        h("p", { class: "quiet", role: "status" }, text)
      ),
      h(
        "div",
        { class: "buttons" },
        this.#button("Invite anybody", "anybody", () => this.#challenge(null)),
        bots.length > 0 && this.#watchBots(bots),
      ),
    ];
  }

  /** @param {Player[]} bots */
  #levels(bots) {
    return [
      h("h2", {}, "Choose a level and play"),
      levelButtons(bots, (name) => this.#challenge(name)),
    ];
  }

  /** @param {Player} bot */
  #playAgainst(bot) {
    return h(
      "button",
      {
        type: "button",
        class: "primary play",
        "data-key": `play-${bot.name}`,
        onclick: () => this.#challenge(bot.name),
      },
      h("span", { class: "play-title" }, `Play against ${bot.name}`),
      bot.engine && h("span", { class: "play-engine" }, bot.engine),
    );
  }

  /**
   * @param {string} label
   * @param {string} key
   * @param {() => void} press
   */
  #button(label, key, press) {
    return h("button", { type: "button", "data-key": key, onclick: press }, label);
  }

  /** @param {Player[]} all */
  #watchBots(all) {
    // The strongest play each other unless the person chooses others.
    const bots = [...withLevel(all).reverse(), ...all.filter((bot) => !bot.level)];
    const choice = (/** @type {string} */ label, /** @type {number} */ preferred) =>
      h(
        "select",
        { "aria-label": label },
        bots.map(({ name, level }, index) =>
          h(
            "option",
            { value: name, selected: index === preferred },
            level ? `${name} (level ${level})` : name,
          )
        ),
      );
    const first = choice("First player", 0);
    const second = choice("Second player", Math.min(1, bots.length - 1));
    const watch = () => this.#offer([first.value, second.value], false);
    return h(
      "details",
      { class: "watch-bots" },
      h("summary", { class: "button" }, "Watch two bots"),
      h(
        "div",
        { class: "watch-choice" },
        first,
        h("span", {}, "against"),
        second,
        this.#button("Start", "watch", watch),
      ),
    );
  }

  /** @param {string | null} opponent null: whoever wants to */
  #challenge(opponent) {
    const me = this.session.you?.name ?? null;
    const order = this.form?.order ?? "random";
    this.#offer(order === "second" ? [opponent, me] : [me, opponent], order === "random");
  }

  /**
   * @param {[string | null, string | null]} seats
   * @param {boolean} random
   */
  #offer(seats, random) {
    if (this.form?.valid) {
      this.session.challenge({ setup: this.form.setup(), seats, random_seats: random });
    }
  }
}
