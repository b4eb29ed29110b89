/** All rounds of a tournament that are known: those of its states, and earlier ones if asked for. */

import { fetchTournament } from "../shared/api.js";
import { messageOf, notify } from "../shared/dialogs.js";
import { h } from "../shared/dom.js";
import { counted } from "../shared/sentences.js";

/** @import { TournamentRound, TournamentState } from "../shared/wire.d.ts" */

export class Rounds {
  /** @type {Map<number, TournamentRound>} */
  #known = new Map();

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
      "Show them",
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
    const missing = round - this.#known.size;
    this.element.hidden = missing <= 0;
    this.words.textContent = `${counted(missing, "earlier round")} not shown. `;
  }

  async #load() {
    try {
      this.update(await fetchTournament(this.id));
      this.loaded();
    } catch (error) {
      notify(`The earlier rounds could not be loaded: ${messageOf(error)}.`, "error");
    }
  }
}
