/** The rules in brief, and how to use the page. */

import { guideLink } from "../shared/guides.js";
import { gameTexts } from "../rules/texts.js";
import { openDialog } from "../shared/dialogs.js";
import { h, replace } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { chip, valueOf } from "../shared/setup_fields.js";

/** @import { Catalogue } from "../shared/catalogue.js" */

const KEYS = [
  [t("common.help.arrows"), t("common.help.arrows_do")],
  [t("common.help.enter"), t("common.help.enter_does")],
  [t("common.help.escape"), t("common.help.escape_does")],
  ["1 2", t("common.help.digits_do")],
  ["S", t("common.help.s_does")],
  [t("common.help.steps"), t("common.help.steps_do")],
];

/**
 * @param {Catalogue} catalogue
 * @param {string | null} subject the game to begin with
 */
export async function openHelp(catalogue, subject) {
  const games = catalogue.offers.games.map((offer) => offer.game);
  const first = subject ?? games[0] ?? "";
  const all = games.includes(first) ? games : [first, ...games];
  const rules = h("dl", { class: "rules" });
  const keys = h("dl", { class: "keys" });
  const guides = h("p", { class: "guides" });
  const show = async (/** @type {string} */ game) => {
    const { sections, keys: more } = await gameTexts(game);
    const all = [...KEYS, ...more].map(([key, text]) => [h("dt", {}, key), h("dd", {}, text)]);
    replace(keys, all.flat());
    replace(
      guides,
      guideLink("learn", game, t("common.help.learn"), { onclick: closeDialog }),
      guideLink("rules", game, t("common.help.pictures"), { onclick: closeDialog }),
    );
    replace(rules, sections.map(([term, text]) => [h("dt", {}, term), h("dd", {}, text)]).flat());
  };
  const chips = all.map((game) => chip("help-game", game, catalogue.title(game), first));
  const chooser = h(
    "div",
    { class: "chips", role: "radiogroup", "aria-label": t("common.game") },
    chips,
  );
  chooser.addEventListener("change", () => show(valueOf(chooser, ":checked")));
  await show(first);
  await openDialog(
    t("common.help.title"),
    [
      all.length > 1 && chooser,
      guides,
      rules,
      h("h3", {}, t("common.help.keyboard")),
      keys,
    ],
    [{ label: t("common.close"), value: "", class: "primary" }],
  );
}

/** @param {Event} event on a link in a window that is left by it */
function closeDialog({ currentTarget: link }) {
  if (link instanceof HTMLAnchorElement && !link.target) {
    link.closest("dialog")?.close();
  }
}
