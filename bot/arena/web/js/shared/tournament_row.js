/** A tournament as a line of a list. */

import { h } from "./dom.js";
import { t } from "./messages.js";
import { isToCome, momentText, phaseWords, termsOfTournament } from "./tournament_words.js";

/** @import { Catalogue } from "./catalogue.js" */
/** @import { TournamentSummary } from "./wire.d.ts" */

/**
 * @param {TournamentSummary} summary
 * @param {Catalogue} catalogue
 */
export function tournamentRow(summary, catalogue) {
  const { tournament_id: id, name, state, starts_at: starts } = summary;
  const begins = isToCome(state) && starts !== null
    ? [t("common.tournament.begins", { moment: momentText(starts) })]
    : [];
  const words = [phaseWords(summary), ...begins, ...termsOfTournament(summary, catalogue)];
  return h(
    "li",
    { class: "row" },
    h(
      "a",
      {
        class: "row-link",
        href: `/tournament/${id}`,
        "data-link": true,
        "data-key": `tournament-${id}`,
      },
      h(
        "span",
        { class: "row-words" },
        h("span", { class: "row-title" }, name),
        h("span", { class: "quiet" }, words.join(" · ")),
      ),
      h("span", { class: "row-verb" }, t("common.open")),
    ),
  );
}
