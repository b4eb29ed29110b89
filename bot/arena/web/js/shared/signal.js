/** A list of listeners for one kind of event. */

/** @template T */
export class Signal {
  /** @type {Set<(value: T) => void>} */
  #listeners = new Set();

  /**
   * @param {(value: T) => void} listener
   * @returns {() => void} call it to stop listening
   */
  on(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** @param {T} value */
  emit(value) {
    for (const listener of [...this.#listeners]) {
      listener(value);
    }
  }
}
