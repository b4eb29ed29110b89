/** The link that signs in one more device of a player: made on request, it works once. */

import { copyField } from "../shared/copying.js";
import { messageOf } from "../shared/dialogs.js";
import { h, replace } from "../shared/dom.js";
import { loadPart } from "../shared/loading.js";
import { t } from "../shared/messages.js";
import { linkTo } from "../shared/site.js";
import { load, save } from "../shared/storage.js";
import { ask } from "./requests.js";

/** @import { SignedIn } from "./requests.js" */

/**
 * The section of the settings about the link; null if the browser has no player.
 * @param {string} name the player's
 */
export function deviceLinkSection(name) {
  if (load("guest_key", null) === null) {
    return null;
  }
  const body = h("div", { class: "identity-body" });
  const section = h(
    "details",
    { class: "identity" },
    h("summary", {}, t("accounts.device_link.summary", { name })),
    body,
  );
  section.addEventListener("toggle", async () => {
    if (section.open) {
      await show(body);
      // Otherwise the QR code is below the edge of a phone's window.
      section.scrollIntoView({ block: "start" });
    } else {
      replace(body);
    }
  });
  return section;
}

/**
 * Show a new link: the other device gets a key of its own, so that it can be signed out.
 * @param {HTMLElement} body
 */
async function show(body) {
  /** @type {string} */
  let made;
  try {
    made = (await ask("/devices/add")).secret;
  } catch (error) {
    replace(body, h("p", { class: "warning", role: "alert" }, messageOf(error)));
    return;
  }
  // A browser sends no server what follows the #.
  const link = linkTo(`/#device=${made}`);
  const qr = await loadPart(() => import("../frame/qr_code.js"));
  replace(
    body,
    h("p", { class: "warning" }, t("accounts.device_link.warning")),
    h("p", { class: "quiet" }, t("accounts.device_link.scan")),
    qr?.qrCode(link, t("accounts.device_link.qr_code")),
    secret(t("accounts.device_link.link"), t("accounts.device_link.copy_link"), link),
  );
}

/**
 * Sign in with such a link: its secret gets a key once.
 * @param {string} secret
 */
export async function signInByDeviceLink(secret) {
  const signedIn = /** @type {SignedIn} */ (await ask("/devices/use", { secret }));
  save("guest_key", signedIn.guest_key);
  save("name", signedIn.you.name);
}

/**
 * A secret in a field, with a button that copies it.
 * @param {string} label
 * @param {string} verb the label of the button that copies it
 * @param {string} value
 */
export function secret(label, verb, value) {
  const field = h("input", { type: "text", readonly: true, value, autocomplete: "off" });
  field.addEventListener("focus", () => field.select());
  const copy = h("button", { type: "button", "aria-label": verb }, t("common.copy"));
  copy.addEventListener("click", async () => {
    if (await copyField(field)) {
      copy.textContent = t("common.copied");
    }
  });
  return h(
    "div",
    { class: "secret" },
    h("label", { class: "field" }, label, field),
    // Browsers let pages copy only over a secure connection.
    "clipboard" in navigator && copy,
  );
}
