/** How a person's turn comes about: cells chosen one by one, judged by the server, then sent. */

import { Refused } from "./protocol.js";
import { Signal } from "./signal.js";

/** @typedef {import("./protocol.js").LegalView} LegalView */
/** @typedef {"waiting" | "choosing" | "confirming" | "sending"} Phase */
/** @typedef {{cell: string | null, message: string}} Complaint */

/**
 * @typedef {object} Wire
 * @property {(chosen: string[]) => Promise<LegalView>} legal
 * @property {(ply: number, turn: string) => Promise<void>} play
 */

const STONES_A_TURN = 2;
const PASS = "pass";

export class TurnInput {
  /** @type {Signal<void>} */
  changed = new Signal();
  /** @type {Phase} */
  phase = "waiting";
  /** @type {string[]} */
  chosen = [];
  passing = false;
  /** What may be chosen next; null while the server has not answered. @type {LegalView | null} */
  legal = null;
  /** @type {Complaint | null} */
  complaint = null;
  /** The ply that is being chosen, or was sent and not seen on the board yet. */
  ply = -1;
  /** Sent, and not known to have arrived. @type {string | null} */
  unconfirmed = null;

  /** @type {Promise<LegalView | null>} */
  #asking = Promise.resolve(null);
  /** Grows when what was asked has become irrelevant. */
  #epoch = 0;

  /**
   * @param {Wire} wire
   * @param {() => boolean} confirms whether a complete turn waits for a last word
   */
  constructor(wire, confirms) {
    this.wire = wire;
    this.confirms = confirms;
  }

  /**
   * The server's state says that this person is to play `ply`.
   * @param {number} ply
   */
  begin(ply) {
    if (ply !== this.ply) {
      this.#reset("choosing", ply);
      this.#ask();
    }
  }

  /**
   * The connection is back, and the server still waits for the same ply. Sending again is safe:
   * the same turn for the same ply is answered like the first time.
   */
  resume() {
    if (this.unconfirmed !== null) {
      this.#deliver(this.unconfirmed);
    } else if (this.phase !== "waiting" && !this.passing) {
      this.#ask();
    }
  }

  /** The server's state says that nothing is to be chosen here. */
  end() {
    if (this.phase !== "waiting") {
      this.#reset("waiting", -1);
      this.changed.emit();
    }
  }

  /** @param {string} cell */
  async choose(cell) {
    if (this.chosen.includes(cell) && this.phase !== "sending") {
      this.#restart(this.chosen.filter((other) => other !== cell));
      return;
    }
    if (this.phase !== "choosing") {
      return;
    }
    const epoch = this.#epoch;
    const legal = await this.#asking;
    if (epoch !== this.#epoch) {
      return;
    }
    if (legal) {
      this.#judge(cell, legal);
    } else {
      this.#ask();
      this.#complain(cell, "The server has not said yet which cells are open. Try again.");
    }
  }

  /**
   * @param {string} cell
   * @param {LegalView} legal
   */
  #judge(cell, legal) {
    if (!legal.legal.includes(cell)) {
      const message = legal.illegal[cell]?.message ?? "This cell cannot be chosen now.";
      this.#complain(cell, message);
      return;
    }
    this.chosen = [...this.chosen, cell];
    this.complaint = null;
    if (this.chosen.length === STONES_A_TURN && !this.confirms()) {
      this.send();
      return;
    }
    this.#ask();
  }

  /** Take the last chosen stone back. */
  undo() {
    if (this.phase === "choosing" || this.phase === "confirming") {
      this.#restart(this.chosen.slice(0, -1));
    }
  }

  /** Whether what is chosen can be sent although more could be. */
  get canStop() {
    return this.phase === "choosing" && this.chosen.length > 0 && (this.legal?.complete ?? false);
  }

  /** Whether nothing but a pass is open to the person. */
  get mustPass() {
    return this.phase === "choosing" && this.chosen.length === 0 && this.legal?.legal.length === 0;
  }

  pass() {
    if (this.mustPass) {
      this.#deliver(PASS);
    } else if (this.phase === "choosing") {
      this.#restart([]);
      this.passing = true;
      this.phase = "confirming";
      this.changed.emit();
    }
  }

  /** Send what is chosen. */
  send() {
    this.#deliver(this.passing ? PASS : this.chosen.join(","));
  }

  /** @param {string} turn */
  async #deliver(turn) {
    const ply = this.ply;
    this.phase = "sending";
    this.unconfirmed = turn;
    this.changed.emit();
    try {
      await this.wire.play(ply, turn);
    } catch (error) {
      if (ply === this.ply && this.unconfirmed === turn) {
        this.#undelivered(error);
      }
    }
  }

  /** @param {unknown} error */
  #undelivered(error) {
    if (!(error instanceof Refused)) {
      throw error;
    }
    if (error.undelivered) {
      this.#complain(null, `${error.message} Your turn is kept and sent again.`);
      if (error.code === "no_answer" && this.unconfirmed !== null) {
        this.#deliver(this.unconfirmed);
      }
      return;
    }
    this.#restart([]);
    this.#complain(null, error.message);
  }

  /** @param {string[]} chosen */
  #restart(chosen) {
    this.#reset("choosing", this.ply);
    this.chosen = chosen;
    this.#ask();
  }

  /**
   * @param {Phase} phase
   * @param {number} ply
   */
  #reset(phase, ply) {
    this.#epoch += 1;
    this.phase = phase;
    this.ply = ply;
    this.chosen = [];
    this.passing = false;
    this.legal = null;
    this.complaint = null;
    this.unconfirmed = null;
    this.#asking = Promise.resolve(null);
  }

  /**
   * @param {string | null} cell
   * @param {string} message
   */
  #complain(cell, message) {
    this.complaint = { cell, message };
    this.changed.emit();
  }

  #ask() {
    const epoch = ++this.#epoch;
    this.legal = null;
    this.#asking = this.wire
      .legal(this.chosen)
      .then((legal) => (epoch === this.#epoch ? this.#learn(legal) : null))
      .catch((error) => this.#unanswered(error, epoch));
    this.changed.emit();
  }

  /** @param {LegalView} legal */
  #learn(legal) {
    if (legal.ply !== this.ply) {
      return null;
    }
    this.legal = legal;
    if (this.chosen.length > 0 && legal.legal.length === 0 && legal.complete) {
      this.#finish();
    }
    this.changed.emit();
    return legal;
  }

  /** Nothing more can be chosen: the turn is whole. */
  #finish() {
    if (this.confirms()) {
      this.phase = "confirming";
    } else {
      this.send();
    }
  }

  /**
   * @param {unknown} error
   * @param {number} epoch
   * @returns {null}
   */
  #unanswered(error, epoch) {
    if (epoch === this.#epoch && error instanceof Refused && !error.undelivered) {
      this.#complain(null, error.message);
    }
    return null;
  }
}
