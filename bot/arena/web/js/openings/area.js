/** What the opening explorer gives the page. */

/** @import { AreaParts } from "../shared/areas.js" */

/** @type {AreaParts} */
export const area = {
  pages: {
    openings: async ({ session }, id) => {
      const { OpeningsPage } = await import("./page.js");
      return new OpeningsPage(session, id);
    },
  },
  positionPanel: async () => {
    const { OpeningsPanel } = await import("./panel.js");
    return new OpeningsPanel();
  },
};
