/** The page for an address that the site does not have. */

import { h } from "../shared/dom.js";

export class UnknownPage {
  title = "No such page";
  site = null;
  subject = null;

  constructor() {
    const home = h("a", { class: "button", href: "/", "data-link": true }, "To the lobby");
    const words = "There is no page at this address. The games are in the lobby.";
    this.element = h(
      "main",
      { class: "game", id: "page", tabindex: -1 },
      h("section", { class: "panel empty" }, h("h1", {}, "No such page"), h("p", {}, words), home),
    );
  }

  dispose() {}
}
