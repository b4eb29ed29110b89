/** Asking the server what may be chosen next: only the newest question counts. */

import { Refused } from "../shared/protocol.js";
import { Signal } from "../shared/signal.js";

/** @import { LegalView } from "../shared/wire.d.ts" */

export class LegalQuestion {
  /** @type {Signal<LegalView>} */
  answered = new Signal();
  /** @type {Signal<string>} the server has refused to answer, and why */
  refused = new Signal();
  /** Null while the server has not answered. @type {LegalView | null} */
  answer = null;
  /** @type {Promise<LegalView | null>} */
  #asking = Promise.resolve(null);
  /** Grows when what was asked has become irrelevant. */
  #epoch = 0;

  /** @param {(chosen: string[]) => Promise<LegalView>} ask */
  constructor(ask) {
    this.send = ask;
  }

  /**
   * @param {number} ply an answer about another one counts for nothing
   * @param {string[]} chosen
   */
  ask(ply, chosen) {
    const epoch = ++this.#epoch;
    this.answer = null;
    this.#asking = this.send(chosen)
      .then((legal) => (epoch === this.#epoch && legal.ply === ply ? this.#hear(legal) : null))
      .catch((error) => this.#unanswered(error, epoch));
  }

  /** The answer does not matter any more. */
  withdraw() {
    this.#epoch += 1;
    this.answer = null;
    this.#asking = Promise.resolve(null);
  }

  /** The answer to the latest question; null if there was none, or no question. */
  async latest() {
    let asking;
    let legal = null;
    do {
      asking = this.#asking;
      legal = await asking;
    } while (asking !== this.#asking);
    return legal;
  }

  /** @param {LegalView} legal */
  #hear(legal) {
    this.answer = legal;
    this.answered.emit(legal);
    return legal;
  }

  /**
   * @param {unknown} error
   * @param {number} epoch
   * @returns {null}
   */
  #unanswered(error, epoch) {
    if (epoch === this.#epoch && error instanceof Refused && !error.undelivered) {
      this.refused.emit(error.message);
    }
    return null;
  }
}
