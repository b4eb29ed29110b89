/** Signing in to an account that exists, in a browser that does not know it. */

import { h } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { knowsPasskeys, signInWithPasskey } from "./passkeys.js";
import { becomes, recover } from "./recovery.js";
import { secretIn } from "./secrets.js";

/** @import { Scene } from "./scene.d.ts" */

/** @param {Scene} scene */
export function signInSection({ account, session, act }) {
  const { connection } = session;
  const byPasskey = async () => {
    const signedIn = await signInWithPasskey();
    if (signedIn) {
      becomes(signedIn, connection);
      return t("accounts.sign_in.done", { name: signedIn.you.name });
    }
    return null;
  };
  const mayUsePasskeys = account.why_no_passkeys === null && knowsPasskeys();
  return h(
    "section",
    { class: "panel", "aria-labelledby": "sign-in" },
    h("h2", { id: "sign-in" }, t("accounts.sign_in.title")),
    h(
      "p",
      {},
      account.you.kind === "person"
        ? t("accounts.sign_in.replaces", { name: account.you.name })
        : t("accounts.sign_in.about"),
    ),
    mayUsePasskeys && h(
      "button",
      { type: "button", "data-key": "sign-in", onclick: () => act(byPasskey) },
      t("accounts.sign_in.passkey"),
    ),
    linkForm(async (secret) => {
      await recover(secret, connection);
    }),
  );
}

/** @param {(secret: string) => Promise<void>} use */
function linkForm(use) {
  const input = h("input", {
    type: "text",
    required: true,
    autocomplete: "off",
    spellcheck: false,
  });
  const problem = h("p", { class: "field-problem", role: "alert" });
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const secret = secretIn(input.value);
    problem.textContent = secret === null ? t("accounts.recovery.not_a_link") : "";
    if (secret !== null) {
      await use(secret);
    }
  };
  return h(
    "form",
    { class: "account-link-form", onsubmit: submit },
    h("label", { class: "field" }, t("accounts.recovery.link"), input),
    h("button", {}, t("accounts.sign_in.link")),
    problem,
  );
}
