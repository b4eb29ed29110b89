/** What a person did and is not carried out yet, in order: some are faster than the server. */

/** @typedef {(isWanted: () => boolean) => unknown} Act can ask whether it was dropped since */

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
    // A failure is reported as one, and stops nothing that comes after it.
    this.#last = done.catch((error) => reportError(error));
  }

  /** Forget what waits. */
  clear() {
    this.#round += 1;
    this.#last = Promise.resolve();
  }
}
