/** Positions of the tree. Those that the server must compute are requested once. */

import { Signal } from "../shared/signal.js";

/** @import { FreeRules } from "../game/free_rules.js" */
/** @import { PositionView } from "../shared/wire.d.ts" */

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

  /** @param {FreeRules} rules */
  constructor(rules) {
    this.rules = rules;
  }

  /**
   * The position after some turns; null while it is requested.
   * @param {string[]} turns
   */
  after(turns) {
    const known = this.known(turns);
    if (known) {
      return known;
    }
    const computed = this.rules.after(turns)?.view() ?? null;
    if (computed) {
      this.#keep(turns.join("_"), computed);
    } else {
      this.#wanted = turns;
      this.#ask();
    }
    return computed;
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
      this.#keep(turns.join("_"), await this.rules.position(turns));
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
