/** Offers to this person, shown on every page until they are answered or end. */

import { h, replace } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { isAddressedTo } from "../shared/offers.js";
import { termsOf } from "../shared/terms.js";

/** @import { Session } from "../shared/session.js" */
/** @import { Challenge } from "../shared/wire.d.ts" */

export class OffersBar {
  /** What is shown. Screen readers would announce a redraw again. */
  #drawn = "";

  /**
   * @param {Session} session
   * @param {HTMLElement} place
   */
  constructor(session, place) {
    this.session = session;
    this.place = place;
    session.lobbyChanged.on(() => this.#draw());
    session.catalogue.loaded.on(() => this.#draw());
  }

  #draw() {
    const { challenges, you } = this.session;
    const offers = [...challenges.values()].filter((each) => isAddressedTo(each, you?.name));
    const shown = offers.map((offer) => ({ offer, words: this.#words(offer) }));
    const key = JSON.stringify(shown.map(({ offer, words }) => [offer.challenge_id, words]));
    if (key !== this.#drawn) {
      this.#drawn = key;
      replace(this.place, ...shown.map(({ offer, words }) => this.#line(offer, words)));
    }
  }

  /** @param {Challenge} challenge */
  #words({ creator, setup }) {
    const terms = termsOf(setup, this.session.catalogue).join(" · ");
    return t("common.offer.words", { name: creator.name, terms });
  }

  /**
   * @param {Challenge} challenge
   * @param {string} words
   */
  #line({ challenge_id: id }, words) {
    const { session } = this;
    const button = (/** @type {string} */ label, /** @type {() => void} */ act, style = "") =>
      h(
        "button",
        { type: "button", class: style, "data-key": `${label}-${id}`, onclick: act },
        label,
      );
    return h(
      "div",
      { class: "notice offer" },
      h("span", {}, words),
      button(t("common.accept"), () => session.accept(id), "primary"),
      button(t("common.decline"), () => session.decline(id)),
    );
  }
}
