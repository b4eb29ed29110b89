/** Sends a turn, and keeps it until the server has accepted or refused it. */

import { Refused } from "../shared/protocol.js";
import { Signal } from "../shared/signal.js";

/** @typedef {{ply: number, turn: string, takebacks: number}} Parcel */

export class Delivery {
  /** @type {Signal<string>} why the turn has not been acknowledged yet */
  delayed = new Signal();
  /** @type {Signal<string>} why the server has refused the turn */
  refused = new Signal();
  /** Sent, and not acknowledged. @type {Parcel | null} */
  #parcel = null;

  /** @param {(parcel: Parcel) => Promise<void>} play */
  constructor(play) {
    this.play = play;
  }

  get isOpen() {
    return this.#parcel !== null;
  }

  /** @param {Parcel} parcel */
  async send(parcel) {
    this.#parcel = parcel;
    try {
      await this.play(parcel);
    } catch (error) {
      if (this.#parcel === parcel) {
        this.#failed(error);
      }
    }
  }

  /** Send the turn again. This is always safe: the server plays the same turn of a ply once. */
  again() {
    if (this.#parcel) {
      this.send(this.#parcel);
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
