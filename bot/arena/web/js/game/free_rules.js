/** The rules of a board without a game: the page answers, and the server where the page cannot. */

import { LocalRules } from "../engine/local_rules.js";
import { USUAL } from "./tree_address.js";

/** @import { Session } from "../shared/session.js" */
/** @import { LegalView, PositionView } from "../shared/wire.d.ts" */
/** @import { Played } from "./tree_address.js" */

export class FreeRules extends LocalRules {
  /**
   * @param {Session} session
   * @param {Played} setup
   */
  constructor(session, setup) {
    super();
    this.session = session;
    this.setup = setup;
    this.load({ ...setup, board: setup.board ?? USUAL.board ?? "" });
  }

  /**
   * @param {string[]} turns
   * @returns {Promise<PositionView>}
   */
  async position(turns) {
    await this.ready;
    const local = this.after(turns);
    const asked = { setup: this.setup, turns };
    return local?.view() ??
      (await this.session.connection.request("analysis.position", asked)).position;
  }

  /**
   * Ask the server which steps may follow those chosen.
   * @param {string[]} turns
   * @param {string[]} chosen
   * @param {string} [about] a step to explain
   * @returns {Promise<LegalView>}
   */
  async askLegal(turns, chosen, about) {
    const asked = { setup: this.setup, turns, chosen, ...(about ? { about } : {}) };
    return (await this.session.connection.request("analysis.legal", asked)).legal;
  }
}
