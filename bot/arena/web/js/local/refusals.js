/** Refusals of requests about games on this device, in the words for the server's codes. */

import { t } from "../shared/messages.js";
import { Refused } from "../shared/protocol.js";
import { refusalWords } from "../shared/server_words.js";

/**
 * @param {string} code of the protocol
 * @param {string} [message] by default the words for the code
 * @param {string | null} [rule]
 */
export function refusal(code, message, rule = null) {
  const words = message ?? refusalWords({ code, message: t(`common.refusal.${code}`), rule });
  return new Refused(code, words, null, rule);
}

/**
 * @param {boolean} isRefused
 * @param {string} code
 * @param {string} [message]
 * @throws {Refused}
 */
export function refuseIf(isRefused, code, message) {
  if (isRefused) {
    throw refusal(code, message);
  }
}
