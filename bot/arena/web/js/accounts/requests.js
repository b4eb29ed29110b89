/** Requests about the person's account: POST of JSON, with the guest key as proof. */

import { keyHeader } from "../shared/guest_key.js";
import { t } from "../shared/messages.js";
import { Refused } from "../shared/protocol.js";
import { refusalWords } from "../shared/server_words.js";
import { addressOf } from "../shared/site.js";

/** @import { Player } from "../shared/wire.d.ts" */

/** @typedef {{id: string, label: string, created_at: string, used_at: string | null}} Passkey */
/** @typedef {Passkey & {is_this: boolean}} Device */

/**
 * What the server knows about the account.
 * @typedef {object} Account
 * @property {Player} you
 * @property {{code: "address" | "insecure" | "domain", message: string, domain: string} | null}
 *   why_no_passkeys
 * @property {string | null} recovery_since since when a recovery link can be used
 * @property {Passkey[]} passkeys
 * @property {Device[]} devices
 */

/** @typedef {{you: Player, guest_key: string}} SignedIn */

/**
 * @param {string} path below /api/account
 * @param {object} [body]
 * @returns {Promise<Response>} an answer that refuses nothing
 * @throws {Refused} with the server's sentence, or one about the connection
 */
export async function send(path, body = {}) {
  const headers = { "content-type": "application/json", ...keyHeader() };
  /** @type {Response} */
  let response;
  try {
    const asked = { method: "POST", headers, body: JSON.stringify(body) };
    response = await fetch(addressOf(`/api/account${path}`), asked);
  } catch {
    throw new Refused("no_answer", t("common.connection.no_answer"));
  }
  if (response.ok) {
    return response;
  }
  /** @type {{code: string, message: string, rule?: string | null}} */
  const { code, message, rule } = await response.json().catch(
    () => ({ code: "no_answer", message: t("common.connection.no_answer") }),
  );
  throw new Refused(code, refusalWords({ code, message, rule: rule ?? null }), null, rule);
}

/**
 * @template Answer
 * @param {string} path below /api/account
 * @param {object} [body]
 * @returns {Promise<Answer>}
 */
export async function ask(path, body = {}) {
  return await (await send(path, body)).json();
}
