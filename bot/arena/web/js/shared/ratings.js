/** How the rating of a player is shown. */

import { h } from "./dom.js";
import { t } from "./messages.js";

/** @import { Player } from "./wire.d.ts" */

/**
 * A rating as a text, with a question mark if it is provisional.
 * @param {{rating: number, provisional: boolean}} rating
 */
export function ratingText({ rating, provisional }) {
  return `${Math.round(rating)}${provisional ? "?" : ""}`;
}

/**
 * A player's rating in a game, after their name; null without one.
 * @param {Player | undefined} player
 * @param {string} game
 */
export function ratingMark(player, game) {
  const rating = player?.ratings?.[game];
  const title = rating?.provisional ? t("common.rating.provisional") : t("common.rating.title");
  return rating ? h("span", { class: "rating", title }, ratingText(rating)) : null;
}
