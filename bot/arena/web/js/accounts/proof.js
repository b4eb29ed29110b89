/** A proof that the person is there, for requests for which the key of the browser is not enough. */

import { h } from "../shared/dom.js";
import { messageOf, openDialog } from "../shared/dialogs.js";
import { t } from "../shared/messages.js";
import { Refused } from "../shared/protocol.js";
import { ask } from "./requests.js";
import { knowsPasskeys, proveByPasskey } from "./passkeys.js";
import { secretIn } from "./secrets.js";

/** @import { Account } from "./requests.js" */

/**
 * Like `ask`. If the server wants a proof, the person gives it, and the request is sent again.
 * @template Answer
 * @param {string} path below /api/account
 * @param {object} [body]
 * @returns {Promise<Answer>}
 */
export async function askProved(path, body = {}) {
  try {
    return await ask(path, body);
  } catch (error) {
    const isWanted = error instanceof Refused && error.code === "proof_needed";
    if (!isWanted || !(await prove())) {
      throw error;
    }
  }
  return await ask(path, body);
}

/** @returns {Promise<boolean>} whether the person has given a proof */
async function prove() {
  const account = /** @type {Account} */ (await ask(""));
  const mayUsePasskeys = account.passkeys.length > 0 && account.why_no_passkeys === null &&
    knowsPasskeys();
  const link = h("input", { type: "text", autocomplete: "off", spellcheck: false });
  const problem = h("p", { class: "field-problem", role: "alert" });
  const mayClose = async (/** @type {string} */ way) => {
    try {
      if (way === "passkey") {
        return await proveByPasskey();
      }
      if (way === "link") {
        await ask("/proof", { secret: secretIn(link.value) ?? "" });
      }
      return true;
    } catch (error) {
      problem.textContent = messageOf(error);
      return false;
    }
  };
  const way = await openDialog(
    t("accounts.proof.title"),
    [
      h("p", {}, t("accounts.proof.about")),
      account.recovery_since !== null &&
      h("label", { class: "field" }, t("accounts.recovery.link"), link),
      problem,
    ],
    [
      { label: t("common.cancel"), value: "" },
      ...(mayUsePasskeys
        ? [{ label: t("accounts.proof.passkey"), value: "passkey", class: "primary" }]
        : []),
      ...(account.recovery_since !== null
        ? [{
          label: t("accounts.proof.link"),
          value: "link",
          ...(mayUsePasskeys ? {} : { class: "primary" }),
        }]
        : []),
    ],
    mayClose,
  );
  return way !== "";
}
