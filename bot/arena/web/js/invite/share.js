/** Ways to hand a link to another person: copy it, share it, or let them scan it. */

import { copyField } from "../shared/copying.js";
import { h, replace } from "../shared/dom.js";
import { loadPart } from "../shared/loading.js";
import { t } from "../shared/messages.js";

/** @import { Child } from "../shared/dom.js" */

/**
 * @param {string} link
 * @param {string} words what a shared message says
 * @returns {Child[]}
 */
export function shareParts(link, words) {
  const field = h("input", { type: "text", readonly: true, value: link, autocomplete: "off" });
  field.addEventListener("focus", () => field.select());
  const code = h("div", { class: "invite-code" });
  showCode(code, link);
  return [
    h(
      "div",
      { class: "secret" },
      h("label", { class: "field" }, t("invite.link"), field),
      copyButton(field),
      "share" in navigator && shareButton(link, words),
    ),
    code,
  ];
}

/** @param {HTMLInputElement} field */
function copyButton(field) {
  // Browsers let pages copy only over a secure connection.
  if (!("clipboard" in navigator)) {
    return null;
  }
  const button = h("button", { type: "button", class: "primary" }, t("invite.copy"));
  button.addEventListener("click", async () => {
    if (await copyField(field)) {
      button.textContent = t("invite.copied");
    }
  });
  return button;
}

/**
 * @param {string} link
 * @param {string} text
 */
function shareButton(link, text) {
  const share = async () => {
    try {
      await navigator.share({ url: link, text });
    } catch {
      // The person has closed the browser's dialog.
    }
  };
  return h("button", { type: "button", onclick: share }, t("invite.share"));
}

/**
 * @param {HTMLElement} place
 * @param {string} link
 */
async function showCode(place, link) {
  const qr = await loadPart(() => import("../frame/qr_code.js"));
  if (qr) {
    replace(place, h("p", { class: "quiet" }, t("invite.scan")), qr.qrCode(link, t("invite.code")));
  }
}
