/** Choosing a clock: one that the arena suggests, or a custom one. */

import { find, h, replace } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { clockTitle } from "../shared/sentences.js";
import { valueOf } from "../shared/setup_fields.js";
import { load, save } from "../shared/storage.js";

/** @import { TimeControl } from "../shared/wire.d.ts" */

/** @typedef {{name: string, label: string, unit: number, value: number, min: number, max: number}} Figure */

const MINUTE = 60;
const DAY = 86400;

/** @type {Record<string, {label: string, figures: Figure[]}>} */
const KINDS = {
  fischer: {
    label: t("lobby.clock.fischer"),
    figures: [
      figure("initial_s", t("lobby.clock.minutes"), MINUTE, 10),
      figure("increment_s", t("lobby.clock.unit_seconds_added"), 1, 5, 0),
    ],
  },
  byoyomi: {
    label: t("lobby.clock.byoyomi"),
    figures: [
      figure("main_s", t("lobby.clock.minutes"), MINUTE, 10, 0),
      figure("periods", t("lobby.clock.unit_periods"), 1, 3, 1, 100),
      figure("period_s", t("lobby.clock.unit_seconds_a_period"), 1, 30),
    ],
  },
  per_turn: {
    label: t("lobby.clock.per_turn"),
    figures: [figure("turn_s", t("lobby.clock.unit_seconds_a_turn"), 1, 30)],
  },
  absolute: {
    label: t("lobby.clock.absolute"),
    figures: [figure("initial_s", t("lobby.clock.minutes"), MINUTE, 15)],
  },
  correspondence: {
    label: t("lobby.clock.correspondence"),
    figures: [
      figure("initial_s", t("lobby.clock.unit_days"), DAY, 3, 0.1, 366),
      figure("increment_s", t("lobby.clock.unit_days_added"), DAY, 1, 0, 366),
      figure("maximum_s", t("lobby.clock.unit_days_at_most"), DAY, 7, 0.1, 366),
    ],
  },
};

/**
 * @param {string} name
 * @param {string} label
 * @param {number} unit seconds, or 1 for a count
 * @param {number} value
 * @param {number} [min]
 * @param {number} [max]
 * @returns {Figure}
 */
function figure(name, label, unit, value, min = unit === 1 ? 1 : 0.1, max = 1440) {
  return { name, label, unit, value, min, max };
}

export class ClockFields {
  /**
   * @param {TimeControl[]} suggested
   * @param {TimeControl | undefined} [first] the one that is chosen at first
   */
  constructor(suggested, first = load("clock", suggested[0])) {
    this.suggested = suggested;
    const kept = JSON.stringify(first);
    const chosen = suggested.findIndex((clock) => JSON.stringify(clock) === kept);
    const isOwn = chosen < 0;
    const chips = suggested.map((clock, index) =>
      option(String(index), clockTitle(clock), index === chosen)
    );
    this.kind = h(
      "select",
      { "aria-label": t("lobby.clock.kind"), onchange: () => this.#showFigures() },
      Object.entries(KINDS).map(([kind, { label }]) => h("option", { value: kind }, label)),
    );
    this.figures = h("div", { class: "figures" });
    this.ownFields = h("div", { class: "own-clock" }, this.kind, this.figures);
    this.element = h(
      "div",
      { class: "clock-fields" },
      h("div", { class: "chips" }, chips, option("own", t("lobby.clock.custom"), isOwn)),
      this.ownFields,
    );
    this.element.addEventListener("change", () => this.#toggle());
    this.#fill(JSON.parse(kept), isOwn);
  }

  /**
   * @param {TimeControl} clock
   * @param {boolean} own
   */
  #fill(clock, own) {
    if (own && clock.kind in KINDS) {
      this.kind.value = clock.kind;
    }
    this.#showFigures(own ? { ...clock } : {});
    this.#toggle();
  }

  /** @param {Record<string, string | number>} [values] */
  #showFigures(values = {}) {
    const { figures } = KINDS[this.kind.value] ?? { figures: [] };
    replace(
      this.figures,
      ...figures.map(({ name, label, unit, value, min, max }) => {
        const start = name in values ? Number(values[name]) / unit : value;
        const step = unit === 1 ? 1 : "any";
        const limits = { min, max, step, required: true };
        return h(
          "label",
          {},
          h("input", { type: "number", name, value: start, ...limits }),
          ` ${label}`,
        );
      }),
    );
  }

  #toggle() {
    const own = this.#chosen() === "own";
    this.ownFields.hidden = !own;
    // Hidden figures must not make the form invalid.
    for (const input of this.ownFields.querySelectorAll("input, select")) {
      input.toggleAttribute("disabled", !own);
    }
  }

  #chosen() {
    return valueOf(this.element, "[name=clock]:checked") || "0";
  }

  keep() {
    save("clock", this.value());
  }

  /** @returns {TimeControl} */
  value() {
    const chosen = this.#chosen();
    return chosen === "own"
      ? this.#ownValue()
      : /** @type {TimeControl} */ (this.suggested[Number(chosen)]);
  }

  /** @returns {TimeControl} */
  #ownValue() {
    const kind = this.kind.value;
    /** @type {Record<string, unknown>} */
    const control = { kind };
    for (const { name, unit } of KINDS[kind]?.figures ?? []) {
      control[name] = find(this.figures, `[name=${name}]`, HTMLInputElement).valueAsNumber * unit;
    }
    // The figures are the fields of this kind; the server validates them.
    return /** @type {TimeControl} */ (/** @type {unknown} */ (control));
  }
}

/**
 * @param {string} value
 * @param {string} label
 * @param {boolean} checked
 */
function option(value, label, checked) {
  return h(
    "label",
    { class: "chip" },
    h("input", { type: "radio", name: "clock", value, checked }),
    h("span", {}, label),
  );
}
