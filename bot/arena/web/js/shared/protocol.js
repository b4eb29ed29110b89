/** What the page and the arena agree on, apart from the messages. */

export const VERSION = /** @type {const} */ (1);

/** A request that was not carried out: by the server's word, or because it cannot be reached. */
export class Refused extends Error {
  /**
   * @param {string} code a code of the protocol, or `offline` or `no_answer`
   * @param {string} message a sentence for people
   */
  constructor(code, message) {
    super(message);
    this.code = code;
  }

  /** Whether the server never had its say, so that asking again may help. */
  get undelivered() {
    return this.code === "offline" || this.code === "no_answer";
  }
}
