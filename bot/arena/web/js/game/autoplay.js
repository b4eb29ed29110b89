/** Steps through the turns of a game at a pace: a finished game, or one that bots play too fast. */

import { Signal } from "../shared/signal.js";

/** @import { Replay } from "./replay.js" */

const PACE_MS = 1000;

export class Autoplay {
  /** @type {Signal<void>} it was started or stopped */
  changed = new Signal();
  isOn = false;
  #timer = 0;
  #steppedAt = -Infinity;

  /**
   * @param {Replay} replay
   * @param {() => boolean} isOver whether no more turns will come
   */
  constructor(replay, isOver) {
    this.replay = replay;
    this.isOver = isOver;
  }

  /**
   * Play from a ply on. While the game goes on, its new turns are shown at the same pace.
   * @param {number} ply
   */
  start(ply) {
    this.isOn = true;
    this.replay.go(ply);
    this.#goOn();
    this.changed.emit();
  }

  /** Leave the shown position as it is. */
  stop() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    if (this.isOn) {
      this.isOn = false;
      this.changed.emit();
    }
  }

  /** Start or stop, as a button does: at the end of the game, start from its first position. */
  toggle() {
    if (this.isOn) {
      this.stop();
    } else {
      this.start(this.replay.live ? 0 : this.replay.ply);
    }
  }

  /**
   * A new turn has come: show it when its time has come.
   * @param {number} ply the one that was shown before
   */
  hold(ply) {
    if (this.isOn && this.#timer === 0) {
      this.replay.go(ply);
      this.#goOn();
    }
  }

  #goOn() {
    if (!this.replay.live) {
      const left = this.#steppedAt + PACE_MS - performance.now();
      this.#timer = setTimeout(() => this.#step(), Math.max(0, left));
    } else if (this.isOver()) {
      this.stop();
    }
  }

  #step() {
    this.#timer = 0;
    this.#steppedAt = performance.now();
    this.replay.go(this.replay.ply + 1);
    this.#goOn();
  }
}
