/** Positions of the tree, which the server computes; each is requested once. */

import { Signal } from "../shared/signal.js";

/** @import { Session } from "../shared/session.js" */
/** @import { PositionView } from "../shared/wire.d.ts" */
/** @import { Played } from "../game/tree_address.js" */

const KEPT = 500;

export class Positions {
  /** @type {Signal<void>} a position has arrived */
  changed = new Signal();
  /** @type {Signal<string>} why a position cannot be had */
  refused = new Signal();
  /** @type {Map<string, PositionView>} */
  #known = new Map();
  /** The turns that are wanted and not known. @type {string[] | null} */
  #wanted = null;
  #asking = false;

  /**
   * @param {Session} session
   * @param {Played} played
   */
  constructor(session, played) {
    this.session = session;
    this.played = played;
  }

  /**
   * The position after some turns; null while it is requested.
   * @param {string[]} turns
   */
  after(turns) {
    const known = this.known(turns);
    if (!known) {
      this.#wanted = turns;
      this.#ask();
    }
    return known;
  }

  /**
   * The position after some turns if it is here; null without a request for it.
   * @param {string[]} turns
   */
  known(turns) {
    return this.#known.get(turns.join("_")) ?? null;
  }

  /** Send one request at a time, for the position that is wanted then. */
  async #ask() {
    if (this.#asking || !this.#wanted) {
      return;
    }
    this.#asking = true;
    const turns = this.#wanted;
    this.#wanted = null;
    try {
      const asked = { setup: this.played, turns };
      const { position } = await this.session.connection.request("analysis.position", asked);
      this.#keep(turns.join("_"), position);
      this.changed.emit();
    } catch (error) {
      this.refused.emit(error instanceof Error ? error.message : String(error));
    } finally {
      this.#asking = false;
    }
    this.#ask();
  }

  /**
   * @param {string} key
   * @param {PositionView} position
   */
  #keep(key, position) {
    const oldest = this.#known.size >= KEPT && this.#known.keys().next().value;
    if (typeof oldest === "string") {
      this.#known.delete(oldest);
    }
    this.#known.set(key, position);
  }
}
