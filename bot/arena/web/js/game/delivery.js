/** Sends a turn, and keeps it until the server has accepted or refused it. */

import { Refused } from "../shared/protocol.js";
import { Signal } from "../shared/signal.js";

export class Delivery {
  /** @type {Signal<string>} why the turn has not been acknowledged yet */
  delayed = new Signal();
  /** @type {Signal<string>} why the server has refused the turn */
  refused = new Signal();
  /** Sent, and not acknowledged. @type {{ply: number, turn: string} | null} */
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

  /** Send the turn again. This is always safe: the server plays the same turn of a ply once. */
  again() {
    if (this.#parcel) {
      this.send(this.#parcel.ply, this.#parcel.turn);
    }
  }

  /** Forget the turn. */
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
