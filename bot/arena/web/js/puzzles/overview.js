/** The page of all puzzles: that of the day, and those of each game. */

import { h, replace } from "../shared/dom.js";
import { t } from "../shared/messages.js";

/** @import { Session } from "../shared/session.js" */
/** @import { PuzzleStanding } from "../shared/wire.d.ts" */

export class PuzzlesPage {
  site = null;
  subject = null;
  /** @type {(() => void)[]} */
  #endings = [];
  /** How the person does, by game. @type {Map<string, PuzzleStanding>} */
  #standings = new Map();

  /** @param {Session} session */
  constructor(session) {
    this.session = session;
    this.title = t("puzzles.title");
    this.streak = h("p", { class: "quiet streak-words", role: "status" });
    this.games = h("div", { class: "puzzle-games" });
    this.element = h(
      "main",
      { class: "puzzles", id: "page", tabindex: -1 },
      h("h1", {}, t("puzzles.title")),
      h("p", {}, t("puzzles.introduction")),
      h(
        "section",
        { class: "panel daily", "aria-labelledby": "daily-title" },
        h("h2", { id: "daily-title" }, t("puzzles.daily")),
        h("p", { class: "quiet" }, t("puzzles.daily_hint")),
        h(
          "a",
          { class: "button primary", href: "/puzzles/daily", "data-link": true },
          t("puzzles.solve_daily"),
        ),
        this.streak,
      ),
      h("h2", {}, t("puzzles.choose_game")),
      this.games,
    );
    this.#endings.push(
      session.connection.welcomed.on(() => this.#ask()),
      session.catalogue.loaded.on(() => this.#ask()),
    );
    this.#ask();
  }

  dispose() {
    this.#endings.forEach((end) => end());
  }

  async #ask() {
    const { connection, catalogue } = this.session;
    const names = catalogue.offers.games.map(({ game }) => game);
    this.#draw(names);
    if (!connection.online) {
      return;
    }
    for (const game of names) {
      try {
        const { standing } = await connection.request("puzzle.ask", { game });
        this.#standings.set(game, standing);
      } catch {
        // A game without puzzles has no card.
      }
    }
    this.#draw(names);
  }

  /** @param {string[]} names */
  #draw(names) {
    const known = names.filter((game) => this.#standings.has(game));
    replace(this.games, ...(known.length ? known : names).map((game) => this.#card(game)));
    const [first] = this.#standings.values();
    this.streak.textContent = first ? streakWords(first) : "";
  }

  /** @param {string} game */
  #card(game) {
    const standing = this.#standings.get(game);
    const facts = standing && [
      standing.tried > 0 &&
      h("span", {}, t("puzzles.solved_of", { solved: standing.solved, tried: standing.tried })),
      h("span", {}, t("puzzles.left", { n: standing.left })),
      standing.tried > 0 &&
      h("span", {}, t("puzzles.rating", { rating: standing.rating })),
    ];
    return h(
      "a",
      { class: "panel puzzle-card", href: `/puzzles/${game}`, "data-link": true },
      h("strong", {}, this.session.catalogue.title(game)),
      h("small", { class: "quiet" }, facts ?? []),
    );
  }
}

/** @param {PuzzleStanding} standing */
function streakWords({ streak, solved_today: today }) {
  if (streak === 0) {
    return t("puzzles.streak_none");
  }
  const words = t("puzzles.streak", { n: streak });
  return today ? words : `${words}. ${t("puzzles.streak_open")}`;
}
