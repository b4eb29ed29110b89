/** What the analysis board gives the page. */

import { t } from "../shared/messages.js";

/** @import { AreaParts } from "../shared/areas.js" */

/** @type {AreaParts} */
export const area = {
  pages: {
    analysis: async ({ session, areas }, id) => {
      const [{ AnalysisPage }, panels] = await Promise.all([
        import("./page.js"),
        areas.positionPanels(),
      ]);
      return new AnalysisPage(session, id === "" ? null : id, panels);
    },
  },
  frontLinks: () => [{ place: 3, href: "/analysis", words: t("outside.analysis.menu") }],
  gameLinks: ({ game_id, turns }) =>
    turns.length > 0
      ? [{ href: `/analysis/${game_id}`, words: t("outside.analysis.analyse") }]
      : [],
};
