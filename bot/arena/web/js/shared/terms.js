/** A setup in words: game, board, clock, and what differs from the defaults. */

import { t } from "./messages.js";
import { boardTitle, clockTitle, rulesTitle } from "./sentences.js";

/** @import { Catalogue } from "./catalogue.js" */
/** @import { GameSetup } from "./wire.d.ts" */

/**
 * @param {GameSetup} setup
 * @param {Catalogue} catalogue
 */
export function termsOf(setup, catalogue) {
  const { game, board, rules, clock } = setup;
  return [
    catalogue.title(game),
    boardTitle(board),
    clockTitle(clock),
    ...(catalogue.isUsual(game, rules) ? [] : [rulesTitle(rules)]),
    ...catalogue.options(setup),
    ...(setup.rated ? [t("common.rated")] : []),
  ];
}
