/** The choices within one game: board, rules, options. */

import { h } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { rulesTitle } from "../shared/sentences.js";
import { chip, fieldset, valueOf } from "../shared/setup_fields.js";
import { allowOtherBoards, boardChooser } from "./board_chooser.js";
import { OptionFields } from "./option_fields.js";

/** @import { GameTexts } from "../rules/texts.js" */
/** @import { GameOffer } from "../shared/api.js" */

/** @typedef {{board: string, rules: string, options: Record<string, string>}} GameChoice */

export class GameFields {
  /**
   * @param {GameOffer} offer
   * @param {GameTexts} texts
   * @param {Partial<GameChoice>} kept what the person chose last time
   */
  constructor(offer, texts, kept) {
    const rules = offer.rules.find((each) => each === kept.rules) ?? offer.rules[0] ?? "";
    this.options = new OptionFields(offer.game, offer.options, kept.options ?? {});
    const ruleChips = offer.rules.map((each) =>
      chip("rules", each, rulesTitle(each), rules, texts.ruleHints[each])
    );
    const ruleField = fieldset(t("lobby.setup.rules"), "chips", ruleChips);
    ruleField.hidden = offer.rules.length < 2;
    this.element = h(
      "div",
      { class: "game-fields" },
      boardChooser(offer, kept.board),
      ruleField,
      this.options.element,
    );
    this.element.addEventListener("change", () => this.#showDefaults());
    this.#showDefaults();
  }

  /**
   * Whether the game is played on this device, which has the usual boards only.
   * @param {boolean} isHere
   */
  forDevice(isHere) {
    allowOtherBoards(this.element, !isHere);
    this.#showDefaults();
  }

  #showDefaults() {
    this.options.showDefaults(this.value().board);
  }

  /** @returns {GameChoice} */
  value() {
    const { element } = this;
    return {
      board: valueOf(element, "[name=board]:checked") || valueOf(element, "[name=other-board]"),
      rules: valueOf(element, "[name=rules]:checked"),
      options: this.options.value(),
    };
  }
}
