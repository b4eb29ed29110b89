/** What puzzles give the page. */

import { t } from "../shared/messages.js";

/** @import { AreaParts } from "../shared/areas.js" */

/** @type {AreaParts} */
export const area = {
  pages: {
    puzzles: async ({ session }) => {
      const { PuzzlesPage } = await import("./overview.js");
      return new PuzzlesPage(session);
    },
    "next-puzzle": async ({ session }, name) => {
      const { PuzzlePage, wantedBy } = await import("./page.js");
      return new PuzzlePage(session, wantedBy(name));
    },
    puzzle: async ({ session }, id) => {
      const { PuzzlePage } = await import("./page.js");
      return new PuzzlePage(session, { puzzle_id: id });
    },
  },
  frontLinks: () => [
    { place: 1, href: "/puzzles/daily", words: t("outside.puzzles.daily") },
    { place: 2, href: "/puzzles", words: t("outside.puzzles.menu") },
  ],
};
