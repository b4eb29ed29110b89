/** The choice of a game to learn. */

import { drawBoard } from "../setup/board_chooser.js";
import { h } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { TAUGHT, TITLES } from "../shared/guides.js";
import { progressOf } from "../shared/lesson_progress.js";

/** The boards of the pictures. @type {Record<string, string>} */
const BOARDS = {
  bluestone: "pent-4",
  blooms: "hexhex-4",
  stargazers: "stars-39",
  hexo: "plane",
  freego: "square-7",
};

export class LearnPage {
  site = null;
  subject = null;

  constructor() {
    this.title = t("learn.learn");
    this.element = h(
      "main",
      { class: "learn", id: "page", tabindex: -1 },
      h("header", {}, h("h1", {}, t("learn.choose_title")), h("p", {}, t("learn.choose"))),
      h("div", { class: "learn-games" }, TAUGHT.map((game) => this.#card(game))),
    );
  }

  dispose() {}

  /** @param {string} game */
  #card(game) {
    const picture = h("span", { class: "board-picture" });
    drawBoard(picture, null, game, BOARDS[game] ?? "");
    const { done, whole } = progressOf(game);
    const state = whole ? "again" : done.length ? "go_on" : "begin";
    return h(
      "section",
      { class: "panel learn-game" },
      picture,
      h("h2", {}, TITLES[game]),
      h("p", {}, t(`learn.about_${game}`)),
      h(
        "div",
        { class: "buttons" },
        h(
          "a",
          {
            class: "button primary",
            href: `/learn/${game}`,
            "data-link": true,
            "aria-label": `${t(`learn.${state}`)}: ${TITLES[game]}`,
          },
          t(`learn.${state}`),
        ),
        h(
          "a",
          {
            class: "button quiet-button",
            href: `/rules/${game}`,
            "data-link": true,
            "aria-label": `${t("learn.rules")}: ${TITLES[game]}`,
          },
          t("learn.rules"),
        ),
      ),
      whole && h("span", { class: "learned" }, t("learn.learned")),
    );
  }
}
