/** The key that signs in a player: shown on request, for use on another device. */

import { h, replace } from "../shared/dom.js";
import { load } from "../shared/storage.js";

const WARNING =
  "Anyone who has this key can play as you and change your name. Keep it secret and keep a copy: without the key, this name cannot be recovered.";

/**
 * The section of the settings about the key; null if the browser has no key.
 * @param {string} name the player's
 */
export function identitySection(name) {
  const key = load("guest_key", null);
  if (key === null) {
    return null;
  }
  const body = h("div", { class: "identity-body" });
  const section = h(
    "details",
    { class: "identity" },
    h("summary", {}, `Play as ${name} on another device`),
    body,
  );
  section.addEventListener("toggle", async () => {
    if (section.open) {
      await show(body, String(key));
      // Otherwise the QR code is below the edge of a phone's window.
      section.scrollIntoView({ block: "start" });
    } else {
      replace(body);
    }
  });
  return section;
}

/**
 * @param {HTMLElement} body
 * @param {string} key
 */
async function show(body, key) {
  // A browser sends no server what follows the #.
  const link = `${location.origin}/#guest_key=${key}`;
  const { qrCode } = await import("./qr_code.js");
  replace(
    body,
    h("p", { class: "warning" }, WARNING),
    h("p", { class: "quiet" }, "Scan the code with the other device, or open the link there."),
    qrCode(link, "QR code of the link"),
    secret("Link", link),
    secret("Key", key),
  );
}

/**
 * @param {string} label
 * @param {string} value
 */
function secret(label, value) {
  const field = h("input", { type: "text", readonly: true, value, autocomplete: "off" });
  field.addEventListener("focus", () => field.select());
  const copy = h("button", { type: "button", "aria-label": `Copy ${label.toLowerCase()}` }, "Copy");
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(value);
    copy.textContent = "Copied";
  });
  return h(
    "div",
    { class: "secret" },
    h("label", { class: "field" }, label, field),
    // Browsers let pages copy only over a secure connection.
    "clipboard" in navigator && copy,
  );
}
