/** The players whom the person ignores. */

import { h, replace } from "../shared/dom.js";
import { t } from "../shared/messages.js";

/** @import { Scene } from "./scene.d.ts" */

/**
 * A section that appears when there are such players.
 * @param {Scene} scene
 */
export function ignoredSection({ session: { connection }, act }) {
  const list = h("ul", { class: "account-rows" });
  const section = h(
    "section",
    { class: "panel", hidden: true, "aria-labelledby": "ignored" },
    h("h2", { id: "ignored" }, t("accounts.ignored.title")),
    h("p", { class: "quiet" }, t("accounts.ignored.about")),
    list,
  );
  const row = (/** @type {string} */ name) => {
    const stop = () => connection.request("player.ignore", { name, ignore: false });
    return h(
      "li",
      {},
      h("strong", {}, name),
      h(
        "button",
        {
          type: "button",
          "data-key": `ignored-${name}`,
          "data-needs-connection": true,
          "aria-label": t("accounts.ignored.stop_label", { name }),
          onclick: () => act(stop),
        },
        t("accounts.ignored.stop"),
      ),
    );
  };
  const load = async () => {
    try {
      const { ignored } = await connection.request("player.ignored", {});
      replace(list, ...ignored.map(row));
      section.hidden = ignored.length === 0;
    } catch {
      // Without a connection the section stays hidden.
    }
  };
  load();
  return section;
}
