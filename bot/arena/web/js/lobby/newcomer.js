/** The offer to a newcomer: to learn a game. It is made once. */

import { guideLink, TAUGHT, TITLES } from "../shared/guides.js";
import { hasLearned } from "../shared/lesson_progress.js";
import { h } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { load, save } from "../shared/storage.js";
import { lastLevel } from "./level_buttons.js";

const KEY = "lessons_offered";
/** Whether the offer is open: decided when this page is first loaded. @type {boolean | null} */
let isOpen = null;

/** The offer; null if it was made before, or if the person knows the games already. */
export function newcomerOffer() {
  isOpen ??= !load(KEY, false) && !hasLearned() && lastLevel() === 0;
  if (!isOpen) {
    return null;
  }
  save(KEY, true);
  const end = () => {
    isOpen = false;
    element.remove();
  };
  const links = TAUGHT.map((game) =>
    guideLink("learn", game, TITLES[game], { class: "button", onclick: end })
  );
  const close = h(
    "button",
    { type: "button", class: "icon", "aria-label": t("lobby.newcomer.no"), onclick: end },
    "×",
  );
  const element = h(
    "section",
    { class: "newcomer panel", "aria-label": t("lobby.newcomer.title") },
    h("div", {}, h("strong", {}, t("lobby.newcomer.title")), " ", t("lobby.newcomer.offer")),
    h("div", { class: "buttons" }, links),
    h(
      "a",
      { class: "newcomer-all", href: "/learn", "data-link": true, onclick: end },
      t("lobby.newcomer.learn"),
    ),
    close,
  );
  return element;
}
