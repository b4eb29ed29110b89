/** One search from start to answer: it runs slices of playouts, and handles time, stop and reports. */

/** @import { Candidate } from "./readout.js" */
/** @import { Searcher } from "./searcher.js" */

/**
 * When a search ends by itself; without both, it runs until it is stopped or the result is proved.
 * @typedef {object} Limits
 * @property {number | null} [playouts]
 * @property {number | null} [milliseconds]
 */

/**
 * What a search has found so far. The value of a candidate is its player's chance to win.
 * @typedef {object} Found
 * @property {Candidate[]} candidates best first
 * @property {number} playouts of this search
 * @property {number} visits playouts in the tree, with those kept from earlier searches
 */

/** A call that runs stays in slow code, so slices are short; they also let messages in. */
const SLICE_MS = 8;
const FIRST_REPORT_MS = 100;
const REPORT_MS = 300;

/**
 * @typedef {object} Host
 * @property {() => Promise<void>} pause lets messages in
 * @property {() => boolean} isStopped whether to answer now
 * @property {(found: Found) => void} report called a few times a second
 */

export class Thinking {
  playouts = 0;
  #searcher;
  #rate;
  /** Playouts after which the game looks for a proof. */
  #nextProof;
  /** How long the last look took. */
  #proofMs = 0;

  /** @param {Searcher} searcher whose position is set */
  constructor(searcher) {
    const { FIRST_CHUNK } = searcher.rules.kernels.layout.constants;
    this.#searcher = searcher;
    this.#rate = FIRST_CHUNK / SLICE_MS;
    this.#nextProof = FIRST_CHUNK;
  }

  /**
   * Search until a limit is reached, the result is proved, or the host says stop.
   * @param {Limits} limits
   * @param {Pick<Host, "pause" | "isStopped">} host
   * @param {() => void} report called a few times a second
   */
  async run({ playouts = null, milliseconds = null }, host, report) {
    const searcher = this.#searcher;
    const began = performance.now();
    let due = began + FIRST_REPORT_MS;
    searcher.haltIn(milliseconds);
    while (!host.isStopped() && !searcher.solved) {
      const now = performance.now();
      const msLeft = milliseconds === null ? Infinity : began + milliseconds - now;
      const playoutsLeft = playouts === null ? Infinity : playouts - this.playouts;
      if (msLeft <= 0 || playoutsLeft <= 0) {
        return;
      }
      this.#slice(this.#sizeWithin(msLeft, playoutsLeft));
      this.#prove(msLeft - (performance.now() - now));
      if (now >= due) {
        due = now + REPORT_MS;
        report();
      }
      await host.pause();
    }
  }

  /**
   * @param {number} msLeft
   * @param {number} playoutsLeft
   */
  #sizeWithin(msLeft, playoutsLeft) {
    const untilProof = this.#searcher.mayProve ? this.#nextProof - this.playouts : Infinity;
    const size = Math.floor(this.#rate * Math.min(SLICE_MS, msLeft));
    return Math.min(Math.max(1, size), Math.max(1, untilProof), playoutsLeft);
  }

  /** @param {number} playouts */
  #slice(playouts) {
    const before = performance.now();
    const done = this.#searcher.grow(playouts);
    const took = performance.now() - before;
    this.playouts += done;
    // At most doubled, so that one lucky measurement cannot make a long slice.
    this.#rate = Math.min(2 * this.#rate, took > 0 ? done / took : Infinity);
  }

  /**
   * Let the game look for a proof if it is time for that.
   * @param {number} msLeft
   */
  #prove(msLeft) {
    const { NODES_PER_PLAYOUT, PLAYOUTS_PER_PROOF } = this.#searcher.rules.kernels.layout.constants;
    const isDue = this.#searcher.mayProve && this.playouts >= this.#nextProof;
    if (!isDue || 2 * this.#proofMs > msLeft) {
      return;
    }
    const before = performance.now();
    const playouts = Math.min(this.#nextProof, PLAYOUTS_PER_PROOF);
    this.#searcher.prove(NODES_PER_PLAYOUT * playouts);
    this.#proofMs = performance.now() - before;
    this.#nextProof += playouts;
  }
}
