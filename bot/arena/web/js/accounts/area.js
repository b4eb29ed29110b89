/** What accounts give the page. */

import { t } from "../shared/messages.js";
import { addHelp } from "../shared/server_words.js";
import { keepOffer } from "./keep_offer.js";

/** @import { AreaParts } from "../shared/areas.js" */

/** @type {AreaParts} */
export const area = {
  pages: {
    account: async ({ session, areas }) => {
      const { AccountPage } = await import("./page.js");
      return new AccountPage(session, areas);
    },
  },
  start: () => {
    /** @type {[string, string]} */
    const help = ["/account", t("outside.accounts.help")];
    addHelp({ "not_rated.account": help, name_needed: help });
  },
  ownLinks: (you) => {
    const words = you?.registered
      ? t("outside.accounts.page")
      : t("outside.accounts.keep_or_sign_in");
    return [{ href: "/account", words }];
  },
  afterGame: keepOffer,
  settingsSection: async ({ you }) => {
    const { deviceLinkSection } = await import("./device_link.js");
    return deviceLinkSection(you?.name ?? "");
  },
  signInLink: {
    pattern: /^#device=([A-Za-z0-9_-]+)$/,
    take: async (secret) => {
      const { signInByDeviceLink } = await import("./device_link.js");
      await signInByDeviceLink(secret);
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
