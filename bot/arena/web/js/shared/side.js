/** A player as a part of a line: the colours, the name, and what kind of player it is. */

import { h } from "./dom.js";

/** @import { Player, Seat } from "./wire.d.ts" */

/**
 * A dot for each kind of stones that the player owns.
 * @param {Seat} seat
 * @param {number} kinds
 */
export function colourDots(seat, kinds) {
  const dots = Array.from(
    { length: kinds },
    (_, index) => h("span", { class: `dot seat-${seat} kind-${index + 1}` }),
  );
  return h("span", { class: "dots", "aria-hidden": "true" }, dots);
}

/**
 * What marks a bot in a list, with its level if it says one.
 * @param {Pick<Player, "kind" | "level">} player
 */
export function botMark({ kind, level }) {
  return kind === "bot" && h("span", { class: "bot-mark" }, level ? `bot, level ${level}` : "bot");
}
