/** The known rounds of a tournament: those of its states, and earlier ones on request. */

import { fetchRounds } from "../shared/api.js";
import { messageOf, notify } from "../shared/dialogs.js";
import { h } from "../shared/dom.js";
import { t } from "../shared/messages.js";

/** @import { TournamentRound, TournamentState } from "../shared/wire.d.ts" */

export class Rounds {
  /** @type {Map<number, TournamentRound>} */
  #known = new Map();
  /** The number of the last round. */
  #last = 0;

  /**
   * @param {string} id the tournament's
   * @param {() => void} loaded
   */
  constructor(id, loaded) {
    this.id = id;
    this.loaded = loaded;
    this.words = h("span", {});
    const load = () => this.#load();
    const button = h(
      "button",
      { type: "button", class: "quiet-button", onclick: load },
      t("tournaments.earlier.show"),
    );
    this.element = h("p", { class: "quiet earlier-rounds", hidden: true }, this.words, button);
  }

  /** By number. */
  get all() {
    return [...this.#known.values()].sort((one, two) => one.number - two.number);
  }

  /** @param {TournamentState} state */
  update({ rounds, round }) {
    rounds.forEach((each) => this.#known.set(each.number, each));
    this.#last = round;
    this.#showMissing();
  }

  #showMissing() {
    const missing = this.#last - this.#known.size;
    this.element.hidden = missing <= 0;
    this.words.textContent = `${t("tournaments.earlier.missing", { n: missing })} `;
  }

  /** The number before which rounds are missing; null if none are. */
  #firstKnown() {
    for (let number = this.#last; number > 0; number--) {
      if (!this.#known.has(number)) {
        return number + 1;
      }
    }
    return null;
  }

  async #load() {
    try {
      for (let before = this.#firstKnown(); before !== null;) {
        const { rounds, next } = await fetchRounds(this.id, before);
        rounds.forEach((each) => this.#known.set(each.number, each));
        before = next;
      }
      this.#showMissing();
      this.loaded();
    } catch (error) {
      notify(t("tournaments.earlier.failed", { why: messageOf(error) }), "error");
    }
  }
}
