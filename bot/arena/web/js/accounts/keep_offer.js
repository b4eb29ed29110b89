/** The offer to keep the account, after a game that an unregistered person has played. */

import { isLocal } from "../shared/device_games.js";
import { h } from "../shared/dom.js";
import { t } from "../shared/messages.js";

/** @import { GameState, Player } from "../shared/wire.d.ts" */

/**
 * In the place of the game's actions: a notice would cover the board and the header.
 * @param {GameState} game a finished game of this person
 * @param {Player | null} you
 */
export function keepOffer({ game_id: id, result }, you) {
  if (!you || you.registered || isLocal(id) || result === null || result.reason === "aborted") {
    return null;
  }
  return h(
    "p",
    { class: "keep-offer" },
    h("span", {}, t("outside.accounts.keep_words")),
    h("a", { class: "button", href: "/account", "data-link": true }, t("outside.accounts.keep")),
  );
}
