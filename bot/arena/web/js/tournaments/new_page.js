/** The page that creates a tournament: with a form, or from a text of settings. */

import { SetupForm } from "../setup/setup_form.js";
import { messageOf } from "../shared/dialogs.js";
import { h, replace } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { chip, fieldset, valueOf } from "../shared/setup_fields.js";
import { SettingsForm } from "./settings_form.js";
import { EXAMPLE, readSettings } from "./settings_text.js";

/** @import { Areas } from "../shared/areas.js" */
/** @import { Session } from "../shared/session.js" */
/** @import { ReadSettings } from "./settings_text.js" */

export class NewTournamentPage {
  title = t("outside.tournaments.new");
  /** @type {null} */
  site = null;
  /** @type {SetupForm | null} */
  setup = null;
  /** @type {(() => void)[]} */
  #endings = [];

  /**
   * @param {Session} session
   * @param {(path: string) => void} go
   * @param {Areas} areas
   */
  constructor(session, go, areas) {
    this.session = session;
    this.go = go;
    this.areas = areas;
    this.fields = new SettingsForm();
    this.setupPlace = h("div", {}, h("p", { class: "quiet" }, t("tournaments.new.loading")));
    this.text = h("textarea", { name: "settings", rows: 16, spellcheck: "false" });
    this.text.value = EXAMPLE;
    this.problem = h("p", { class: "field-problem", role: "alert" });
    this.denied = h(
      "p",
      { class: "quiet" },
      t("tournaments.new.denied"),
    );
    this.byFields = h("div", { class: "by-fields" }, this.fields.element, this.setupPlace);
    this.byText = h("div", { class: "by-text" }, this.#chooseFile(), this.#textField());
    this.way = fieldset(t("common.settings.title"), "chips", [
      chip("way", "fields", t("tournaments.new.form"), "fields"),
      chip("way", "text", t("tournaments.new.paste"), "fields"),
    ]);
    this.way.addEventListener("change", () => this.#show());
    this.make = h(
      "button",
      {
        type: "button",
        class: "primary",
        "data-needs-connection": true,
        onclick: () => this.#make(),
      },
      t("tournaments.new.create"),
    );
    this.panel = h(
      "section",
      { class: "panel", "aria-label": this.title },
      this.way,
      this.byFields,
      this.byText,
      this.problem,
      h("div", { class: "buttons" }, this.make),
    );
    this.element = h(
      "main",
      { class: "tournament-list new-tournament", id: "page", tabindex: -1 },
      h("header", { class: "tournament-head" }, h("h1", {}, this.title)),
      this.denied,
      this.panel,
    );
    this.#endings.push(session.lobbyChanged.on(() => this.#show()));
    this.#loadSetup();
    this.#show();
  }

  dispose() {
    this.#endings.forEach((end) => end());
  }

  /** The game that the page is about: the one chosen in the form. */
  get subject() {
    return this.setup?.game ?? null;
  }

  #chooseFile() {
    const file = h("input", { type: "file", accept: ".toml,.json", name: "file" });
    file.addEventListener("change", async () => {
      const [chosen] = file.files ?? [];
      if (chosen) {
        this.text.value = await chosen.text();
        this.problem.textContent = readSettings(this.text.value).problem;
      }
    });
    return h("label", { class: "field" }, t("tournaments.new.file"), file);
  }

  #textField() {
    return h("label", { class: "field" }, t("tournaments.new.text"), this.text);
  }

  async #loadSetup() {
    try {
      const { games, clocks } = await this.session.catalogue.load();
      // Every game of a tournament must end.
      const timed = clocks.filter((clock) => clock.kind !== "none");
      this.setup = await SetupForm.made({ games, clocks: timed }, null, this.session, this.areas);
      replace(this.setupPlace, this.setup.element);
    } catch {
      const again = h(
        "button",
        { type: "button", onclick: () => this.#loadSetup() },
        t("common.try_again"),
      );
      replace(this.setupPlace, h("p", {}, t("common.games_failed"), " "), again);
    }
  }

  #show() {
    const { you, mayHost, lobby } = this.session;
    this.fields.showBots((lobby?.players ?? []).filter(({ kind }) => kind === "bot"));
    const isByText = valueOf(this.way, "[name=way]:checked") === "text";
    this.denied.hidden = you === null || mayHost;
    this.panel.hidden = you !== null && !mayHost;
    this.byFields.hidden = isByText;
    this.byText.hidden = !isByText;
  }

  /** @returns {ReadSettings} */
  #settings() {
    if (!this.byText.hidden) {
      return readSettings(this.text.value);
    }
    const isWhole = this.fields.valid && this.setup?.valid;
    const settings = isWhole && this.setup ? this.fields.settings(this.setup.setup()) : null;
    return { settings, problem: "" };
  }

  async #make() {
    this.make.disabled = true;
    try {
      const { settings, problem } = this.#settings();
      this.problem.textContent = problem;
      if (!settings) {
        return;
      }
      const made = await this.session.tournaments.ask("tournament.create", { settings });
      this.go(`/tournament/${made.tournament_id}`);
    } catch (error) {
      this.problem.textContent = messageOf(error);
    } finally {
      this.make.disabled = false;
    }
  }
}
