/** The switch that colours secured stones and closed cells, for boards with stars. */

import { h } from "../shared/dom.js";
import { t } from "../shared/messages.js";

/** @import { SettingsStore } from "../shared/storage.js" */

export class ProspectsSwitch {
  /** @param {SettingsStore} settings */
  constructor(settings) {
    this.box = h("input", { type: "checkbox", name: "prospects" });
    this.box.addEventListener("change", () => settings.set({ prospects: this.box.checked }));
    const label = t("game.prospects");
    this.element = h("label", { class: "prospects-switch", hidden: true }, this.box, label);
  }

  /**
   * @param {boolean} shown whether the board has stars
   * @param {boolean} on
   */
  update(shown, on) {
    this.element.hidden = !shown;
    this.box.checked = on;
  }
}
