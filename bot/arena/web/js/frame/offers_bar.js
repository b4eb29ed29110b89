/** Offers to this person, shown on every page until they are answered or end. */

import { h, replace } from "../shared/dom.js";
import { ignorePlayer } from "../shared/ignoring.js";
import { t } from "../shared/messages.js";
import { isAddressedTo, isRematchOf } from "../shared/offers.js";
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
  #words(challenge) {
    const { games, catalogue } = this.session;
    const { creator, setup } = challenge;
    const values = { name: creator.name, terms: termsOf(setup, catalogue).join(" · ") };
    return games.all.some((game) => isRematchOf(challenge, game))
      ? t("common.offer.rematch", values)
      : t("common.offer.words", values);
  }

  /**
   * @param {Challenge} challenge
   * @param {string} words
   */
  #line({ challenge_id: id, creator: { name } }, words) {
    const { session } = this;
    const button = (/** @type {string} */ label, /** @type {() => void} */ act, style = "") =>
      h(
        "button",
        {
          type: "button",
          class: style,
          "data-key": `${label}-${id}`,
          "data-needs-connection": true,
          onclick: act,
        },
        label,
      );
    return h(
      "div",
      { class: "notice offer" },
      h("span", {}, words),
      button(t("common.accept"), () => session.accept(id), "primary"),
      button(t("common.decline"), () => session.decline(id)),
      button(t("common.ignore", { name }), () => ignorePlayer(session, name), "link-button"),
    );
  }
}
