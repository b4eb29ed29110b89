/** Asks the server which cells are legal; only the answer to the newest question counts. */

import { Refused } from "../shared/protocol.js";
import { Signal } from "../shared/signal.js";

/** @import { Illegal, LegalView } from "../shared/wire.d.ts" */

export class LegalQuestion {
  /** @type {Signal<LegalView>} */
  answered = new Signal();
  /** @type {Signal<string>} why the server has refused to answer */
  refused = new Signal();
  /** Null while the server has not answered. @type {LegalView | null} */
  answer = null;
  /** @type {Promise<LegalView | null>} */
  #asking = Promise.resolve(null);
  /** Grows when an earlier question becomes irrelevant. */
  #epoch = 0;

  /** The steps of the newest question. @type {string[]} */
  #chosen = [];

  /** @param {(chosen: string[], about?: string) => Promise<LegalView>} ask */
  constructor(ask) {
    this.send = ask;
  }

  /**
   * @param {number} ply an answer about another ply is ignored
   * @param {string[]} chosen
   */
  ask(ply, chosen) {
    const epoch = ++this.#epoch;
    this.answer = null;
    this.#chosen = chosen;
    this.#asking = this.send(chosen)
      .then((legal) => (epoch === this.#epoch && legal.ply === ply ? this.#hear(legal) : null))
      .catch((error) => this.#unanswered(error, epoch));
  }

  /**
   * Why a step is illegal that the answer does not name: on a board without an end it cannot name all.
   * @param {string} step
   * @returns {Promise<Illegal | undefined>}
   */
  async why(step) {
    const answered = await this.send(this.#chosen, step).catch(() => null);
    return answered?.illegal[step];
  }

  /** Ignore the answer to the last question. */
  withdraw() {
    this.#epoch += 1;
    this.answer = null;
    this.#asking = Promise.resolve(null);
  }

  /** The answer to the latest question; null without an answer, or without a question. */
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
