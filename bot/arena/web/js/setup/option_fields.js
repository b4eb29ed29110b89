/**
 * The options of a game: a list for words, else a number with buttons for recommended ones. An empty
 * field means the default.
 */

import { fetchBoard } from "../shared/api.js";
import { optionTitle, valueTitle } from "../shared/catalogue.js";
import { h, replace, setAttributes } from "../shared/dom.js";
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
    /** The buttons of each option that has recommended values. */
    this.presets = new Map(
      options.filter(({ presets }) => presets.length > 0)
        .map(({ name }) => [name, h("div", { class: "presets" })]),
    );
    const fields = options.flatMap((option) => [
      field(game, option, kept[option.name]),
      this.presets.get(option.name),
    ]);
    this.element = fieldset(t("lobby.setup.options"), "option-fields", fields);
    this.element.hidden = options.length === 0;
    this.element.addEventListener("change", ({ target }) => showPlainly(target));
  }

  /**
   * Show the default options until the person chooses, and what is recommended on this board.
   * @param {string} board
   */
  async showDefaults(board) {
    this.#showPresets(board);
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
    this.#limit();
    this.#showPresets(board);
  }

  /** @param {string} name */
  #input(name) {
    const input = this.element.querySelector(`input[data-option="${name}"]`);
    return input instanceof HTMLInputElement ? input : null;
  }

  /** The number of an option; "" if the default is unknown. @param {string} name */
  #number(name) {
    const input = this.#input(name);
    return input?.value || input?.placeholder || "";
  }

  /** A number that must be below another one has it as its limit. */
  #limit() {
    for (const { name, below, high } of this.options) {
      const input = this.#input(name);
      if (below !== null && input) {
        const other = this.#number(below);
        setAttributes(input, { max: other === "" ? high : Math.max(0, Number(other) - 1) });
      }
    }
  }

  /** @param {string} board */
  #showPresets(board) {
    for (const { name, presets } of this.options) {
      const chosen = this.#number(name);
      const buttons = presets.filter((each) => each.board === board).map(({ value, word }) => {
        const key = `lobby.preset.${word}`;
        const isChosen = String(value) === chosen;
        return h("button", {
          type: "button",
          class: "preset",
          "data-key": `preset-${name}-${value}`,
          "aria-pressed": String(isChosen),
          onclick: () => this.#choose(name, String(value)),
        }, hasMessage(key) ? t(key, { value }) : `${value}: ${word}`);
      });
      const place = this.presets.get(name);
      place && replace(place, buttons);
    }
  }

  /**
   * @param {string} name
   * @param {string} value
   */
  #choose(name, value) {
    const input = this.#input(name);
    if (input) {
      input.value = value;
      input.dispatchEvent(new Event("change", { bubbles: true }));
    }
  }

  /** @returns {Record<string, string>} those that differ from the defaults */
  value() {
    /** @type {Record<string, string>} */
    const chosen = {};
    for (const { name, choices, usual } of this.options) {
      const value = valueOf(this.element, `[data-option="${name}"]`);
      const isUsual = value === (this.#input(name)?.placeholder ?? usual);
      const left = isUsual || (choices.length === 0 && value === "");
      if (!left) {
        chosen[name] = value;
      }
    }
    return chosen;
  }
}

/**
 * Write the number in a field as summaries and the server do: browsers also take `1e1` and `03`.
 * @param {EventTarget | null} field
 */
function showPlainly(field) {
  if (field instanceof HTMLInputElement && field.value !== "") {
    field.value = String(Number(field.value));
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
