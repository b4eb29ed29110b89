/** The window in which a person chooses the game and the board of an analysis. */

import { gameTexts } from "../rules/texts.js";
import { GameFields } from "../setup/game_fields.js";
import { openDialog } from "../shared/dialogs.js";
import { h, replace } from "../shared/dom.js";
import { t } from "../shared/messages.js";

/** @import { Session } from "../shared/session.js" */
/** @import { Played } from "../game/tree_address.js" */

/**
 * What the person chooses; null if they close the window.
 * @param {Session} session
 * @param {Played | null} present
 * @returns {Promise<Played | null>}
 */
export async function chooseSetup(session, present) {
  const { games } = await session.catalogue.load();
  const options = games.map(({ game, title }) => h("option", { value: game }, title));
  const select = h("select", { name: "analysed-game" }, options);
  select.value = present?.game ?? games[0]?.game ?? "";
  const place = h("form", { class: "setup analysis-setup" });
  /** @type {GameFields | null} */
  let fields = null;
  const show = async () => {
    const offer = games.find(({ game }) => game === select.value);
    if (offer) {
      const texts = await gameTexts(offer.game);
      if (select.value !== offer.game) {
        return; // another game was chosen meanwhile, and its fields are or will be shown
      }
      const kept = present?.game === offer.game
        ? { board: present.board ?? "", rules: present.rules ?? "", options: present.options }
        : {};
      fields = new GameFields(offer, texts, kept);
      replace(place, fields.element);
    }
  };
  select.addEventListener("change", show);
  await show();
  const body = [h("label", { class: "field" }, t("analysis.game"), select), place];
  const buttons = [
    { label: t("analysis.open_board"), value: "open", class: "primary" },
    { label: t("analysis.cancel"), value: "" },
  ];
  const valid = (/** @type {string} */ answer) =>
    Promise.resolve(answer !== "open" || place.reportValidity());
  const answer = await openDialog(t("analysis.new_board"), body, buttons, valid);
  const chosen = /** @type {GameFields | null} */ (fields);
  return answer === "open" && chosen ? { game: select.value, ...chosen.value() } : null;
}
