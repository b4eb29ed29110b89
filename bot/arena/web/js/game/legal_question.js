/**
 * Which cells are legal, and what the board shows with those chosen: by the rules in the page, else by
 * the server's. Only the answer to the newest question counts.
 */

import { Refused } from "../shared/protocol.js";
import { Signal } from "../shared/signal.js";

/** @import { Drafted, Position } from "../engine/rules.js" */
/** @import { Illegal, LegalView } from "../shared/wire.d.ts" */

/**
 * Who answers.
 * @typedef {object} Answering
 * @property {() => Promise<unknown> | undefined} ready when rules that are on their way are here
 * @property {(ply: number) => Position | null} locate by the rules in the page; null: ask the server
 * @property {(chosen: string[], about?: string) => Promise<LegalView>} legal asks the server; `about`: a step to explain
 */

export class LegalQuestion {
  /** @type {Signal<LegalView>} */
  answered = new Signal();
  /** @type {Signal<string>} why the server has refused to answer */
  refused = new Signal();
  /** Null while the server has not answered. @type {LegalView | null} */
  answer = null;
  /** The board with the chosen stones; null without any, and without rules in the page. @type {Drafted | null} */
  drafted = null;
  /** @type {Promise<LegalView | null>} */
  #asking = Promise.resolve(null);
  /** Grows when an earlier question becomes irrelevant. */
  #epoch = 0;

  /** The steps of the newest question. @type {string[]} */
  #chosen = [];
  /** The position that it is about; null if the server must be asked. @type {Position | null} */
  #position = null;

  /** @param {Answering} answering */
  constructor(answering) {
    this.answering = answering;
  }

  /**
   * @param {number} ply an answer about another ply is ignored
   * @param {string[]} chosen
   */
  ask(ply, chosen) {
    this.withdraw();
    this.#chosen = chosen;
    if (!this.#answerHere(ply)) {
      this.#asking = this.#answerLater(ply, this.#epoch);
    }
  }

  /**
   * Answer at once by the rules in the page. Returns whether they could.
   * @param {number} ply
   */
  #answerHere(ply) {
    this.#position = this.answering.locate(ply);
    const legal = this.#position?.legal(this.#chosen);
    if (legal) {
      this.drafted = this.#position?.drafted(this.#chosen) ?? null;
      this.#asking = Promise.resolve(legal);
      this.#hear(legal);
    }
    return legal !== undefined;
  }

  /**
   * @param {number} ply
   * @param {number} epoch
   */
  async #answerLater(ply, epoch) {
    try {
      await this.answering.ready();
      if (epoch !== this.#epoch) {
        return null;
      }
      if (this.#answerHere(ply)) {
        return this.answer;
      }
      const legal = await this.answering.legal(this.#chosen);
      return epoch === this.#epoch && legal.ply === ply ? this.#hear(legal) : null;
    } catch (error) {
      return this.#unanswered(error, epoch);
    }
  }

  /**
   * Why a step is illegal that the answer does not name: on a board without an end it cannot name all.
   * @param {string} step
   * @returns {Promise<Illegal | null | undefined>}
   */
  async why(step) {
    if (this.#position) {
      return this.#position.why(this.#chosen, step);
    }
    const answered = await this.answering.legal(this.#chosen, step).catch(() => null);
    return answered?.illegal[step];
  }

  /** Ignore the answer to the last question. */
  withdraw() {
    this.#epoch += 1;
    this.answer = this.drafted = this.#position = null;
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
