/** Choosing what to play: board, clock, who begins, rules. */

import { fetchBoard } from "./api.js";
import { thumbnail } from "./board_parts.js";
import { ClockFields } from "./clock_fields.js";
import { h, replace } from "./dom.js";
import { Geometry } from "./geometry.js";
import { boardTitle, counted, rulesHint, rulesTitle } from "./sentences.js";
import { load, save } from "./storage.js";

/** @typedef {import("./protocol.js").GameSetup} GameSetup */
/** @typedef {"random" | "first" | "second"} Order */

const GAME = "bluestone";
/** @type {[Order, string][]} */
const ORDERS = [
  ["random", "Random"],
  ["first", "I do"],
  ["second", "My opponent"],
];

export class SetupForm {
  /** @param {import("./api.js").Offers} offers what the arena plays */
  constructor({ games, clocks }) {
    const offer = games.find((each) => each.game === GAME);
    const rules = offer?.rules ?? ["official"];
    const kept = load("setup", { board: "pent-6", rules: "official", order: "random" });
    this.featured = offer?.boards ?? ["pent-6"];
    this.others = boardsOf(offer?.board_forms ?? []).filter(
      (board) => !this.featured.includes(board),
    );
    this.clock = new ClockFields(clocks);
    this.element = h(
      "form",
      {
        class: "setup",
        "aria-label": "The game",
        onsubmit: (/** @type {Event} */ event) => event.preventDefault(),
      },
      fieldset("Board", "boards", [...this.#boards(kept.board), this.#otherBoards(kept.board)]),
      fieldset("Clock", "clock-field", [this.clock.element]),
      fieldset(
        "Who begins",
        "chips",
        ORDERS.map(([value, label]) => chip("order", value, label, kept.order)),
      ),
      fieldset(
        "Rules",
        "chips",
        rules.map((each) => chip("rules", each, rulesTitle(each), kept.rules, rulesHint(each))),
      ),
    );
    this.element.addEventListener("change", () => this.#keep());
  }

  /** @param {string} chosen */
  #boards(chosen) {
    return this.featured.map((board) => {
      const picture = h("span", { class: "board-picture" });
      const size = h("span", { class: "quiet" });
      drawInto(picture, size, board);
      const input = h("input", {
        type: "radio",
        name: "board",
        value: board,
        checked: board === chosen,
      });
      return h(
        "label",
        { class: "board-card" },
        input,
        picture,
        h("span", {}, boardTitle(board)),
        size,
      );
    });
  }

  /** @param {string} chosen */
  #otherBoards(chosen) {
    if (this.others.length === 0) {
      return null;
    }
    const isOther = this.others.includes(chosen);
    const options = this.others.map((board) =>
      h("option", { value: board, selected: board === chosen }, boardTitle(board)),
    );
    const select = h("select", { name: "other-board", "aria-label": "Another board" }, options);
    const input = /** @type {HTMLInputElement} */ (
      h("input", { type: "radio", name: "board", value: "", checked: isOther })
    );
    select.addEventListener("change", () => {
      input.checked = true;
    });
    return h("div", { class: "other-board" }, h("label", {}, input, " Another: "), select);
  }

  #keep() {
    if (this.valid) {
      const { board, rules } = this.setup();
      save("setup", { board, rules, order: this.order });
      this.clock.keep();
    }
  }

  get valid() {
    return /** @type {HTMLFormElement} */ (this.element).reportValidity();
  }

  /** @returns {Order} */
  get order() {
    return /** @type {Order} */ (this.#field("order"));
  }

  /** @param {string} name */
  #field(name) {
    return String(new FormData(/** @type {HTMLFormElement} */ (this.element)).get(name) ?? "");
  }

  /** @returns {GameSetup} */
  setup() {
    const board = this.#field("board") || this.#field("other-board");
    const rules = this.#field("rules");
    return { game: GAME, board, rules, options: {}, clock: this.clock.value(), rated: false };
  }
}

/**
 * The boards that descriptions such as `pent-N with N = 3..13` stand for.
 * @param {string[]} forms
 */
function boardsOf(forms) {
  return forms.flatMap((form) => {
    const [, kind, first, last] = /^([a-z]+)-N with N = (\d+)\.\.(\d+)$/.exec(form) ?? [];
    const count = Math.max(0, Number(last) - Number(first) + 1) || 0;
    return Array.from({ length: count }, (_, index) => `${kind}-${Number(first) + index}`);
  });
}

/**
 * @param {Element} picture
 * @param {Element} size
 * @param {string} board
 */
async function drawInto(picture, size, board) {
  try {
    const geometry = new Geometry(await fetchBoard(GAME, board));
    replace(picture, thumbnail(geometry));
    size.textContent = counted(geometry.list.length, "cell");
  } catch {
    // The chooser works without pictures, and says nothing wrong.
  }
}

/**
 * @param {string} legend
 * @param {string} style
 * @param {import("./dom.js").Child[]} content
 */
function fieldset(legend, style, content) {
  return h("fieldset", {}, h("legend", {}, legend), h("div", { class: style }, content));
}

/**
 * @param {string} name
 * @param {string} value
 * @param {string} label
 * @param {string} chosen
 * @param {string} [hint]
 */
export function chip(name, value, label, chosen, hint = "") {
  const input = h("input", { type: "radio", name, value, checked: value === chosen });
  return h("label", { class: "chip", title: hint || null }, input, h("span", {}, label));
}
