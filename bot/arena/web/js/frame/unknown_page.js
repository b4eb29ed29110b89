/** The page for an address that the site does not have. */

import { h } from "../shared/dom.js";
import { t } from "../shared/messages.js";

export class UnknownPage {
  title = t("common.unknown_page.title");
  site = null;
  subject = null;

  constructor() {
    const home = h(
      "a",
      { class: "button", href: "/", "data-link": true },
      t("common.to_the_lobby"),
    );
    const words = t("common.unknown_page.words");
    this.element = h(
      "main",
      { class: "game", id: "page", tabindex: -1 },
      h("section", { class: "panel empty" }, h("h1", {}, this.title), h("p", {}, words), home),
    );
  }

  dispose() {}
}
