/** The rules of a game with pictures: the aim first, then a turn, captures, the end, options. */

import { h } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { LessonBoard } from "./lesson_board.js";
import { TAUGHT, TITLES } from "../shared/guides.js";
import { loadLesson } from "./lessons.js";
import { printBoard } from "./print_board.js";

/** @import { Catalogue } from "../shared/catalogue.js" */
/** @import { Lesson, Pictured } from "./lessons.js" */

/** @typedef {{picture: Pictured, board: LessonBoard}} Drawn */

/**
 * The page of a game's rules; null if the page has none.
 * @param {Catalogue} catalogue
 * @param {string} id the game; "" for the first one
 */
export async function rulesPage(catalogue, id) {
  const game = id || TAUGHT[0] || "";
  if (!TAUGHT.includes(game)) {
    return null;
  }
  const lesson = await loadLesson(game, "guide");
  const drawn = await Promise.all(
    lesson.pictures.map(async (picture) => {
      const board = await LessonBoard.made(game, picture.board);
      board.frame(picture);
      board.show(picture.position, null, picture.notes);
      return { picture, board };
    }),
  );
  return new RulesPage(lesson, drawn, catalogue);
}

export class RulesPage {
  site = null;

  /**
   * @param {Lesson} lesson
   * @param {Drawn[]} drawn
   * @param {Catalogue} catalogue
   */
  constructor(lesson, drawn, catalogue) {
    this.lesson = lesson;
    this.drawn = drawn;
    this.subject = lesson.game;
    const name = TITLES[lesson.game] ?? lesson.game;
    this.title = t("learn.rules_of", { game: name });
    this.element = h(
      "main",
      { class: "rules-page", id: "page", tabindex: -1 },
      this.#games(),
      h(
        "header",
        {},
        h("h1", {}, this.title),
        h(
          "a",
          { class: "button primary", href: `/learn/${lesson.game}`, "data-link": true },
          t("learn.by_doing"),
        ),
      ),
      printBoard(catalogue, lesson.game),
      lesson.sections.map((section) => this.#section(section)),
    );
  }

  dispose() {}

  #games() {
    const links = TAUGHT.map((game) =>
      h(
        "a",
        {
          href: `/rules/${game}`,
          "data-link": true,
          "aria-current": game === this.lesson.game ? "page" : null,
        },
        TITLES[game],
      )
    );
    return h("nav", { class: "rules-games", "aria-label": t("common.game") }, links);
  }

  /** @param {string} key */
  #text(key) {
    return t(`guide_${this.lesson.game}.${key}`);
  }

  /** @param {Lesson["sections"][number]} section */
  #section({ id, paragraphs, pictures }) {
    const words = Array.from(
      { length: paragraphs },
      (_, at) => h("p", {}, this.#text(`${id}_${at + 1}`)),
    );
    const figures = pictures.flatMap((name) =>
      this.drawn.filter(({ picture }) => picture.id === name).map((each) => this.#figure(each))
    );
    return h(
      "section",
      { class: "panel rules-section", id: `rules-${id}` },
      h("div", { class: "rules-words" }, h("h2", {}, this.#text(`${id}_title`)), words),
      figures.length > 0 && h("div", { class: "rules-figures" }, figures),
    );
  }

  /** @param {Drawn} drawn */
  #figure({ picture, board }) {
    return h(
      "figure",
      {},
      h("div", { class: "rules-board", inert: true }, board.element),
      h("figcaption", {}, this.#text(`picture_${picture.id}`)),
    );
  }
}
