/** How many conditional turns a person has planned, for the button that opens them. */

import { Signal } from "../shared/signal.js";
import { KeptPlan } from "./kept_plan.js";

/** @import { Session } from "../shared/session.js" */
/** @import { GameState } from "../shared/wire.d.ts" */

export class PlanCount {
  /** @type {Signal<void>} */
  changed = new Signal();
  /** The number of lines; 0 too while it is not known. */
  lines = 0;
  /** The state of the game that was asked about. */
  #asked = "";

  /** @param {Session} session */
  constructor(session) {
    this.session = session;
  }

  /**
   * The game has this state, in which the person may plan: ask once how many lines there are.
   * @param {GameState} game
   */
  async follow(game) {
    const { turns, takebacks } = game;
    const state = `${turns.length} ${takebacks}`;
    if (state === this.#asked) {
      return;
    }
    this.#asked = state;
    this.lines = 0;
    const kept = new KeptPlan(this.session, game);
    try {
      await kept.load();
    } catch {
      return; // the button works without a number
    }
    if (state === this.#asked) {
      this.know(kept.lines.length);
    }
  }

  /** @param {number} lines that are kept now */
  know(lines) {
    if (lines !== this.lines) {
      this.lines = lines;
      this.changed.emit();
    }
  }
}
