/** The actions of a person that wait for the server's answers, in order. */

/** @typedef {(isWanted: () => boolean) => unknown} Act `isWanted`: false once it has been dropped */

export class ActionQueue {
  #last = Promise.resolve();
  /** Grows when the waiting actions are dropped. */
  #round = 0;

  /** @param {Act} act */
  add(act) {
    const round = this.#round;
    const isWanted = () => round === this.#round;
    const done = this.#last.then(async () => {
      if (isWanted()) {
        await act(isWanted);
      }
    });
    // A failure is reported, and does not stop later actions.
    this.#last = done.catch((error) => reportError(error));
  }

  /** Drop the waiting actions. */
  clear() {
    this.#round += 1;
    this.#last = Promise.resolve();
  }
}
