/** The options of a game: a list for words, else a number; an empty field means the default. */

import { fetchBoard } from "../shared/api.js";
import { optionTitle, valueTitle } from "../shared/catalogue.js";
import { h } from "../shared/dom.js";
import { hasMessage, t } from "../shared/messages.js";
import { fieldset, valueOf } from "../shared/setup_fields.js";

/** @import { GameOption } from "../shared/api.js" */

export class OptionFields {
  /**
   * @param {string} game
   * @param {GameOption[]} options
   * @param {Record<string, string>} kept what the person chose last time
   */
  constructor(game, options, kept) {
    this.game = game;
    this.options = options;
    const fields = options.map((option) => field(game, option, kept[option.name]));
    this.element = fieldset(t("lobby.setup.options"), "option-fields", fields);
    this.element.hidden = options.length === 0;
  }

  /**
   * Show the default options until the person chooses.
   * @param {string} board
   */
  async showDefaults(board) {
    const numbers = this.element.querySelectorAll("input[type=number]");
    if (numbers.length === 0) {
      return;
    }
    try {
      const { options } = await fetchBoard(this.game, board);
      numbers.forEach((input) => {
        const usual = options[input.getAttribute("data-option") ?? ""];
        input.setAttribute("placeholder", usual ?? "");
      });
    } catch {
      // The field works without a placeholder.
    }
  }

  /** @returns {Record<string, string>} those that differ from the defaults */
  value() {
    /** @type {Record<string, string>} */
    const chosen = {};
    for (const { name, choices, usual } of this.options) {
      const value = valueOf(this.element, `[data-option="${name}"]`);
      const left = choices.length ? value === usual : value === "";
      if (!left) {
        chosen[name] = value;
      }
    }
    return chosen;
  }
}

/**
 * @param {string} game
 * @param {GameOption} option its title and its note are the server's, in English
 * @param {string | undefined} kept
 */
function field(game, { name, title, note, usual, choices, low, high }, kept) {
  const key = `${game}_${name}`;
  const words = hasMessage(`lobby.option_note.${key}`) ? t(`lobby.option_note.${key}`) : note;
  const chosen = choices.find((choice) => choice === kept) ?? usual;
  const input = choices.length
    ? h(
      "select",
      { "data-option": name },
      choices.map((choice) =>
        h("option", { value: choice, selected: choice === chosen }, valueTitle(choice))
      ),
    )
    : h("input", {
      type: "number",
      "data-option": name,
      min: low,
      max: high,
      step: 1,
      value: kept ?? "",
    });
  return h(
    "label",
    { class: "option-field" },
    h("span", { class: "option-title" }, optionTitle(game, name, title)),
    input,
    h("small", { class: "quiet" }, words),
  );
}
