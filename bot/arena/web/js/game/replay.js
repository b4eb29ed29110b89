/** The shown position of a game: the newest, or an earlier one that the server sends on request. */

import { Refused } from "../shared/protocol.js";
import { Signal } from "../shared/signal.js";

/** @import { PositionView } from "../shared/wire.d.ts" */

export class Replay {
  /** @type {Signal<void>} */
  changed = new Signal();
  /** The ply that is wanted; null follows the game. @type {number | null} */
  #wanted = null;
  /** @type {Map<number, PositionView>} */
  #positions = new Map();
  #fetching = false;
  #takebacks = 0;

  /** @param {(ply: number) => Promise<PositionView>} fetch */
  constructor(fetch) {
    this.fetch = fetch;
    /** @type {PositionView | null} */
    this.newest = null;
    /**
     * The shown position: the wanted one, or the previous one until that has arrived.
     * @type {PositionView | null}
     */
    this.shown = null;
  }

  /**
   * @param {PositionView} position the newest of the game
   * @param {number} [takebacks] how often turns of the game were taken back
   */
  follow(position, takebacks = 0) {
    if (takebacks !== this.#takebacks) {
      // A ply may have another position now.
      this.#takebacks = takebacks;
      this.#positions.clear();
      this.#wanted = null;
    }
    this.newest = position;
    this.#positions.set(position.ply, position);
    this.#settle();
  }

  get live() {
    return this.#wanted === null;
  }

  /** The ply that is or will be shown. */
  get ply() {
    return this.#wanted ?? this.newest?.ply ?? 0;
  }

  /** @param {number} ply below the first or above the last one, the first or the last is shown */
  go(ply) {
    const last = this.newest?.ply ?? 0;
    const at = Math.max(0, ply);
    this.#wanted = at >= last ? null : at;
    this.#settle();
  }

  #settle() {
    const position = this.#positions.get(this.ply);
    if (position) {
      this.shown = position;
    } else {
      this.#load();
    }
    this.changed.emit();
  }

  /** Send one request at a time, for the ply that is wanted then: a held key causes few requests. */
  async #load() {
    if (this.#fetching) {
      return;
    }
    this.#fetching = true;
    try {
      const [ply, takebacks] = [this.ply, this.#takebacks];
      const position = await this.fetch(ply);
      if (takebacks === this.#takebacks) {
        this.#positions.set(ply, position);
      }
    } catch (error) {
      // Without a connection the shown position stays.
      const stays = error instanceof Refused && error.undelivered && this.shown !== this.newest;
      this.#wanted = stays ? (this.shown?.ply ?? null) : null;
      if (!(error instanceof Refused)) {
        throw error;
      }
    } finally {
      this.#fetching = false;
    }
    this.#settle();
  }
}
