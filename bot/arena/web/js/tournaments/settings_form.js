/** The form for the usual settings of a tournament. */

import { h } from "../shared/dom.js";
import { withLevel } from "../shared/levels.js";
import { t } from "../shared/messages.js";
import { Parts } from "../shared/parts.js";
import { chip, fieldset } from "../shared/setup_fields.js";
import { earlyEndWords, FORMAT_CHOICES } from "../shared/tournament_words.js";
import { readOpenings } from "./openings.js";

/** @import { GameSetup, OfferedTournament, Player } from "../shared/wire.d.ts" */

/** The options of each format. @type {Record<string, [name: string, label: string, hint: string]>} */
const FIGURES = {
  "swiss": ["rounds", t("tournaments.form.rounds"), t("tournaments.form.rounds_hint")],
  "round-robin": ["cycles", t("tournaments.form.cycles"), t("tournaments.form.cycles_hint")],
  "gauntlet": ["seeds", t("tournaments.form.seeds"), t("tournaments.form.seeds_hint")],
  "free-for-all": ["each", t("tournaments.form.each"), t("tournaments.form.each_hint")],
};

/** @type {[OfferedTournament["admits"], string][]} */
const ADMITS = [
  ["bots", t("tournaments.form.bots")],
  ["people", t("tournaments.form.people")],
  ["both", t("tournaments.form.both")],
];

/** Years have four digits; browsers let a person type six. */
const LATEST = "9999-12-30T00:00";

export class SettingsForm {
  #parts = new Parts();

  constructor() {
    const text = { type: "text", name: "name", required: true, maxlength: 60 };
    const kinds = FORMAT_CHOICES.map(([kind, title]) => h("option", { value: kind }, title));
    this.kind = h("select", { name: "kind", onchange: () => this.#showFigure() }, kinds);
    this.figureWords = h("span", {});
    this.figureHint = h("small", { class: "quiet" });
    this.figure = h("input", { type: "number", name: "figure", min: 1, max: 100, step: 1 });
    this.figurePlace = h(
      "label",
      { class: "field" },
      this.figureWords,
      this.figure,
      this.figureHint,
    );
    this.doubt = h("p", { class: "doubt", role: "status" });
    this.starts = h("input", { type: "datetime-local", name: "starts_at", max: LATEST });
    this.bots = h("div", { class: "chips" });
    this.botPlace = fieldset(t("tournaments.form.bots"), "", [
      h("p", { class: "quiet" }, t("tournaments.form.bots_hint")),
      this.bots,
    ]);
    this.element = h(
      "form",
      { class: "setup", "aria-label": t("tournaments.form.title"), onsubmit: stay },
      h(
        "label",
        { class: "field" },
        t("tournaments.form.name"),
        h("input", { ...text, autocomplete: "off" }),
      ),
      h(
        "div",
        {},
        h(
          "div",
          { class: "field-row" },
          h("label", { class: "field" }, t("tournaments.fact.format"), this.kind),
          this.figurePlace,
          number(
            "games_per_pairing",
            t("tournaments.form.games"),
            1,
            1,
            20,
            t("tournaments.form.games_hint"),
          ),
        ),
        this.doubt,
      ),
      this.#openings(),
      fieldset(
        t("tournaments.form.admits"),
        "chips",
        ADMITS.map(([value, label]) => chip("admits", value ?? "", label, "both")),
      ),
      this.botPlace,
      h(
        "div",
        { class: "field-row" },
        number("most_players", t("tournaments.form.most_players"), 200, 2, 500),
        number("pause_s", t("tournaments.form.pause"), 10, 0, 86400, t("tournaments.form.seconds")),
        number(
          "review_s",
          t("tournaments.form.review"),
          10,
          0,
          1440,
          t("tournaments.form.review_hint"),
        ),
        number(
          "no_show_s",
          t("tournaments.form.no_show"),
          60,
          1,
          86400,
          t("tournaments.form.no_show_hint"),
        ),
        h(
          "label",
          { class: "field" },
          t("tournaments.form.starts"),
          this.starts,
          h("small", { class: "quiet" }, t("tournaments.form.starts_hint")),
        ),
      ),
    );
    this.element.addEventListener("change", () => this.#toggleBots());
    this.element.addEventListener("input", () => this.#showDoubt());
    this.#showFigure();
  }

  /**
   * Show the connected bots. All of them may enter, except those that the host unchecks.
   * @param {Player[]} bots
   */
  showBots(bots) {
    const isOut = (/** @type {string} */ name) => this.#chosen(false).includes(name);
    const sorted = [...withLevel(bots), ...bots.filter((bot) => !bot.level)];
    this.#parts.draw(this.bots, sorted, () =>
      sorted.map(({ name, level }) =>
        h(
          "label",
          { class: "chip" },
          h("input", { type: "checkbox", name: "bots", value: name, checked: !isOut(name) }),
          h("span", {}, level ? t("common.name_of_level", { name, level }) : name),
        )
      ));
    this.#toggleBots();
  }

  #toggleBots() {
    const admits = new FormData(this.element).get("admits");
    this.botPlace.hidden = admits === "people" || this.bots.children.length === 0;
  }

  /** @param {boolean} isChosen */
  #chosen(isChosen) {
    const boxes = [...this.bots.querySelectorAll("input")];
    return boxes.filter((box) => box.checked === isChosen).map((box) => box.value);
  }

  #openings() {
    return h(
      "label",
      { class: "field" },
      t("tournaments.fact.openings"),
      h("textarea", {
        name: "openings",
        rows: 2,
        spellcheck: "false",
        oninput: () => this.#evenOut(),
      }),
      h("small", { class: "quiet" }, t("tournaments.form.openings_hint")),
    );
  }

  /** Make the number of games even if there are openings: each is played twice. */
  #evenOut() {
    const openings = this.element.querySelector("textarea");
    const games = this.element.querySelector("input[name=games_per_pairing]");
    if (openings?.value.trim() && games instanceof HTMLInputElement && Number(games.value) % 2) {
      games.value = String(Number(games.value) + 1);
    }
  }

  #showFigure() {
    const [, label, hint] = FIGURES[this.kind.value] ?? ["", "", ""];
    this.figurePlace.hidden = label === "";
    this.figureWords.textContent = label;
    this.figureHint.textContent = hint;
    this.figure.value = "";
    this.#showDoubt();
  }

  #showDoubt() {
    const rounds = this.kind.value === "swiss" ? this.figure.valueAsNumber : 0;
    const most = Number(new FormData(this.element).get("most_players"));
    const words = earlyEndWords(rounds || 0, most, true);
    if (this.doubt.textContent !== words) {
      this.doubt.textContent = words;
    }
  }

  get valid() {
    return this.element.reportValidity();
  }

  /**
   * @param {GameSetup} setup
   * @returns {OfferedTournament}
   */
  settings(setup) {
    const data = new FormData(this.element);
    const value = (/** @type {string} */ name) => String(data.get(name) ?? "").trim();
    const [figure] = FIGURES[this.kind.value] ?? [];
    const told = figure && value("figure") ? { [figure]: Number(value("figure")) } : {};
    const admits = ADMITS.find(([each]) => each === value("admits"))?.[0];
    return {
      name: value("name"),
      format: { kind: this.kind.value, ...told },
      games_per_pairing: Number(value("games_per_pairing")),
      openings: readOpenings(value("openings")),
      admits: admits ?? "both",
      most_players: Number(value("most_players")),
      // If all of these bots may enter, so may bots that connect later.
      bots: this.#chosen(false).length ? this.#chosen(true) : null,
      pause_s: Number(value("pause_s")),
      review_s: Number(value("review_s")) * 60,
      no_show_s: Number(value("no_show_s")),
      starts_at: value("starts_at") ? new Date(value("starts_at")).toISOString() : null,
      setups: [setup],
    };
  }
}

/** @param {Event} event */
function stay(event) {
  event.preventDefault();
}

/**
 * @param {string} name
 * @param {string} label
 * @param {number} value
 * @param {number} min
 * @param {number} max
 * @param {string} [hint]
 */
function number(name, label, value, min, max, hint = "") {
  const input = h("input", { type: "number", name, value, min, max, step: 1, required: true });
  return h("label", { class: "field" }, label, input, h("small", { class: "quiet" }, hint));
}
