/** Sending a turn: kept until the server has it, or has said that it will not. */

import { Refused } from "../shared/protocol.js";
import { Signal } from "../shared/signal.js";

export class Delivery {
  /** @type {Signal<string>} the turn has not arrived yet, and why */
  delayed = new Signal();
  /** @type {Signal<string>} the server will not have the turn, and why */
  refused = new Signal();
  /** Sent, and not known to have arrived. @type {{ply: number, turn: string} | null} */
  #parcel = null;

  /** @param {(ply: number, turn: string) => Promise<void>} play */
  constructor(play) {
    this.play = play;
  }

  get isOpen() {
    return this.#parcel !== null;
  }

  /**
   * @param {number} ply
   * @param {string} turn
   */
  async send(ply, turn) {
    this.#parcel = { ply, turn };
    try {
      await this.play(ply, turn);
    } catch (error) {
      if (this.#parcel?.ply === ply && this.#parcel.turn === turn) {
        this.#failed(error);
      }
    }
  }

  /** Safe at any time: the same turn for the same ply is answered like the first time. */
  again() {
    if (this.#parcel) {
      this.send(this.#parcel.ply, this.#parcel.turn);
    }
  }

  /** Whether it has arrived does not matter any more. */
  withdraw() {
    this.#parcel = null;
  }

  /** @param {unknown} error */
  #failed(error) {
    if (!(error instanceof Refused)) {
      throw error;
    }
    if (!error.undelivered) {
      this.refused.emit(error.message);
      return;
    }
    this.delayed.emit(error.message);
    if (error.code === "no_answer") {
      this.again();
    }
  }
}
