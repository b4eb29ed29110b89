/** The rules in brief, and how to use the page. */

import { gameTexts } from "../rules/texts.js";
import { openDialog } from "../shared/dialogs.js";
import { h, replace } from "../shared/dom.js";
import { chip, valueOf } from "../shared/setup_fields.js";

/** @import { Catalogue } from "../shared/catalogue.js" */

const KEYS = [
  ["Arrow keys on the board", "move the cursor"],
  ["Enter or Space", "places a stone, or takes it back"],
  ["Escape", "takes the chosen stone back"],
  ["1 2", "choose the colour of the next stone, if you own two"],
  ["S", "swaps the colours of the chosen stones"],
  ["← → Home End elsewhere", "step through the turns"],
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
  const show = async (/** @type {string} */ game) => {
    const { sections, keys: more } = await gameTexts(game);
    const all = [...KEYS, ...more].map(([key, text]) => [h("dt", {}, key), h("dd", {}, text)]);
    replace(keys, all.flat());
    replace(rules, sections.map(([term, text]) => [h("dt", {}, term), h("dd", {}, text)]).flat());
  };
  const chips = all.map((game) => chip("help-game", game, catalogue.title(game), first));
  const chooser = h("div", { class: "chips", role: "radiogroup", "aria-label": "Game" }, chips);
  chooser.addEventListener("change", () => show(valueOf(chooser, ":checked")));
  await show(first);
  await openDialog(
    "How to play",
    [
      all.length > 1 && chooser,
      rules,
      h("h3", {}, "By keyboard"),
      keys,
    ],
    [{ label: "Close", value: "", class: "primary" }],
  );
}
