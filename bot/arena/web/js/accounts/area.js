/** What accounts give the page. */

/** @import { AreaParts } from "../shared/areas.js" */

/** @type {AreaParts} */
export const area = {
  pages: {
    account: async ({ session }) => {
      const { AccountPage } = await import("./page.js");
      return new AccountPage(session);
    },
  },
  hashLink: {
    pattern: /^#recover=([A-Za-z0-9_-]+)$/,
    take: async ({ session, go }, secret) => {
      const { recoverByLink } = await import("./recovery.js");
      if (await recoverByLink(secret, session.connection)) {
        await go("/account");
      }
    },
  },
};
