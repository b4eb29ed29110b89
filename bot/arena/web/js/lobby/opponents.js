/** The choice of an opponent: levels and other bots, an open challenge, or two bots to watch. */

import { h } from "../shared/dom.js";
import { withLevel } from "../shared/levels.js";
import { t } from "../shared/messages.js";
import { levelButtons } from "./level_buttons.js";

/** @import { Child } from "../shared/dom.js" */
/** @import { Player } from "../shared/wire.d.ts" */

/** @typedef {[string | null, string | null]} Seats */

/**
 * @param {Player[]} bots
 * @param {Element} terms says which game a press on a level starts
 * @param {(name: string) => void} play
 * @param {boolean} [isHere] whether they play without the server
 * @returns {Child[]}
 */
export function botButtons(bots, terms, play, isHere = false) {
  const levels = withLevel(bots);
  const others = bots.filter((bot) => !bot.level);
  return [
    bots.length > 0 && h(
      "div",
      { class: "level-head" },
      h(
        "h2",
        {},
        levels.length ? t("lobby.choose_level") : t("lobby.choose_bot"),
      ),
      terms,
    ),
    levels.length > 0 && levelButtons(levels, play, isHere),
    ...others.map((bot) => botButton(bot, play)),
  ];
}

/**
 * @param {Player} bot
 * @param {(name: string) => void} play
 */
function botButton({ name, engine }, play) {
  return h(
    "button",
    {
      type: "button",
      class: "primary play",
      "data-key": `play-${name}`,
      "data-needs-connection": true,
      onclick: () => play(name),
    },
    h("span", { class: "play-title" }, t("lobby.play_against", { name })),
    engine && h("span", { class: "play-engine" }, engine),
  );
}

/**
 * A choice of two bots, and a button that starts a game between them.
 * @param {Player[]} all
 * @param {(seats: Seats) => void} watch
 */
export function botGame(all, watch) {
  // The two strongest bots are preselected.
  const bots = [...withLevel(all).reverse(), ...all.filter((bot) => !bot.level)];
  const choice = (/** @type {string} */ label, /** @type {number} */ preferred) =>
    h(
      "select",
      { "aria-label": label },
      bots.map(({ name, level }, index) =>
        h(
          "option",
          { value: name, selected: index === preferred },
          level ? t("common.name_of_level", { name, level }) : name,
        )
      ),
    );
  const first = choice(t("lobby.watch.first"), 0);
  const second = choice(t("lobby.watch.second"), Math.min(1, bots.length - 1));
  const start = () => watch([first.value, second.value]);
  const choices = h(
    "div",
    { class: "watch-choice" },
    first,
    h("span", {}, t("lobby.watch.against")),
    second,
    h(
      "button",
      { type: "button", "data-key": "watch", "data-needs-connection": true, onclick: start },
      t("lobby.watch.start"),
    ),
  );
  return h(
    "details",
    { class: "watch-bots", ontoggle: () => choices.scrollIntoView({ block: "nearest" }) },
    h("summary", { class: "button" }, t("lobby.watch.title")),
    choices,
  );
}
