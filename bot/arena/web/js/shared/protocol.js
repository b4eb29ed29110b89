/** What the page and the arena agree on, apart from the messages. */

export const VERSION = /** @type {const} */ (1);

/** A request that was not carried out: the server refused it, or could not be reached. */
export class Refused extends Error {
  /**
   * @param {string} code a code of the protocol, or `offline` or `no_answer`
   * @param {string} message a sentence for people
   * @param {string | null} [instead] a bot that can play the game
   * @param {string | null} [rule] says more than the code
   */
  constructor(code, message, instead = null, rule = null) {
    super(message);
    this.code = code;
    this.instead = instead;
    this.rule = rule;
  }

  /** Whether the server has not answered, so that the same request may succeed later. */
  get undelivered() {
    return this.code === "offline" || this.code === "no_answer";
  }
}
