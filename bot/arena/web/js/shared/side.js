/** Parts of a line about a player: the colours, and the mark of a bot. */

import { h } from "./dom.js";
import { t } from "./messages.js";

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
 * The mark of a bot in a list, with its level if it has one; false for a person.
 * @param {Pick<Player, "kind" | "level">} player
 */
export function botMark({ kind, level }) {
  return kind === "bot" && h("span", { class: "bot-mark" }, botWords(level));
}

/** @param {number | null | undefined} level */
export function botWords(level) {
  return level ? t("common.bot_of_level", { level }) : t("common.bot");
}
