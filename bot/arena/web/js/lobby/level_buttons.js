/** The buttons of bots that have a level. */

import { h } from "../shared/dom.js";
import { levelWord } from "../shared/levels.js";
import { nodes, t } from "../shared/messages.js";
import { load, save } from "../shared/storage.js";

/** @import { Player } from "../shared/wire.d.ts" */

const KEPT = "level";

/** The level that the person chose last; 0 before their first game. */
export function lastLevel() {
  return Number(load(KEPT, 0));
}

/**
 * A button for each bot; one press starts a game.
 * @param {Player[]} bots with levels, the weakest first
 * @param {(name: string) => void} play
 * @param {boolean} isHere whether they play without the server
 */
export function levelButtons(bots, play, isHere) {
  const last = lastLevel();
  const marked = bots.find((bot) => bot.level === last) ?? bots[0];
  return h(
    "div",
    { class: "levels", role: "group", "aria-label": t("lobby.levels") },
    bots.map((bot) =>
      levelButton(
        bot,
        bot === marked && (last ? t("lobby.level.last") : t("lobby.level.start")),
        play,
        isHere,
      )
    ),
  );
}

/**
 * @param {Player} bot
 * @param {string | false} note
 * @param {(name: string) => void} play
 * @param {boolean} isHere
 */
function levelButton({ name, level }, note, play, isHere) {
  const press = () => {
    save(KEPT, level);
    play(name);
  };
  return h(
    "button",
    {
      type: "button",
      class: note ? "level primary" : "level",
      "data-key": `play-${name}`,
      "data-needs-connection": !isHere,
      onclick: press,
    },
    h(
      "span",
      { class: "level-number" },
      ...nodes("lobby.level.play", { level: h("span", {}, level) }).map((part) =>
        typeof part === "string" ? h("span", { class: "hidden-visually" }, part) : part
      ),
    ),
    h("span", { class: "level-word" }, levelWord(level ?? 0)),
    h("span", { class: "level-name" }, isHere ? "" : name),
    note && h("span", { class: "level-note" }, note),
  );
}
