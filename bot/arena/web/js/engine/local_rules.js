/**
 * The rules of one game in the page, once they are loaded. Until then, and in a browser without
 * WebAssembly, the server answers.
 */

import { IllegalTurn } from "./refusal.js";

/** @import { Setup } from "./mechanics.d.ts" */
/** @import { Position, Rules } from "./rules.js" */

/** How long a question waits for rules that are on their way, before the server is asked. */
const PATIENCE_MS = 1_000;

export class LocalRules {
  /** Resolved when the rules are here, or the server must be asked. @type {Promise<unknown>} */
  ready = Promise.resolve();
  /** @type {Rules | null} */
  #rules = null;
  /** The position that was asked for last: mostly the next one is a turn later. @type {Position | null} */
  #last = null;

  /**
   * Load the rules; a failure leaves the server to answer.
   * @param {Setup} setup
   */
  load(setup) {
    const patience = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS));
    this.ready = Promise.race([this.#load(setup), patience]);
  }

  /** @param {Setup} setup */
  async #load(setup) {
    if (!document.documentElement.dataset["engine"]) {
      return; // this arena has no modules for pages
    }
    try {
      const { loadRules } = await import("./load.js");
      this.#rules = await loadRules(setup);
    } catch {
      // Without a connection, even this script may be missing.
    }
  }

  /**
   * The position after some turns; null if the server must be asked.
   * @param {readonly string[]} turns
   */
  after(turns) {
    try {
      this.#last = this.#rules?.replay(turns, this.#last ?? undefined) ?? null;
    } catch (error) {
      if (!(error instanceof IllegalTurn)) {
        throw error;
      }
      this.#last = null; // the server has words for it
    }
    return this.#last;
  }
}
