/** The recovery link: shown once, and used in another browser. */

import { qrCode } from "../frame/qr_code.js";
import { secret } from "./device_link.js";
import { confirmed, notify, notifyOf, openDialog } from "../shared/dialogs.js";
import { h } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { load, save } from "../shared/storage.js";
import { ask } from "./requests.js";
import { BASE, linkTo } from "../shared/site.js";
import { askProved } from "./proof.js";

/** @import { Connection } from "../shared/connection.js" */
/** @import { SignedIn } from "./requests.js" */

/** Until the browser has read the file. */
const DOWNLOAD_MS = 10_000;

/**
 * Make a recovery link and show it, this once.
 * @param {string} name the person's
 */
export async function showNewLink(name) {
  const { secret: made } = await askProved("/recovery/create");
  const link = linkTo(`/#recover=${made}`);
  const words = t("accounts.recovery.file", { name, site: location.host + BASE, link });
  const download = h(
    "button",
    { type: "button", onclick: () => saveFile(`bluestone-${name}.txt`, new Blob([words])) },
    t("accounts.recovery.download"),
  );
  const body = h(
    "div",
    { class: "identity-body" },
    h("p", { class: "warning" }, t("accounts.recovery.warning")),
    secret(t("accounts.recovery.link"), t("accounts.device_link.copy_link"), link),
    h("div", { class: "account-actions" }, download),
    qrCode(link, t("accounts.device_link.qr_code")),
  );
  const buttons = [{ label: t("accounts.recovery.kept"), value: "", class: "primary" }];
  await openDialog(t("accounts.recovery.title"), [body], buttons);
}

/**
 * @param {string} name
 * @param {Blob} content
 */
export function saveFile(name, content) {
  const address = URL.createObjectURL(content);
  h("a", { href: address, download: name.replaceAll(" ", "_") }).click();
  setTimeout(() => URL.revokeObjectURL(address), DOWNLOAD_MS);
}

/**
 * Sign in with a recovery link.
 * @param {string} secretOfLink
 * @param {Connection} connection
 * @returns {Promise<boolean>} whether that has worked; the page says why not
 */
export async function recover(secretOfLink, connection) {
  try {
    const signedIn = await ask("/recovery/use", { secret: secretOfLink });
    becomes(signedIn, connection);
    notify(t("accounts.recovery.used", { name: signedIn.you.name }));
    return true;
  } catch (error) {
    notifyOf(error);
    return false;
  }
}

/**
 * Sign in with the link that has opened the page, if the person agrees.
 * @param {string} secretOfLink
 * @param {Connection} connection
 */
export async function recoverByLink(secretOfLink, connection) {
  const name = load("name", null);
  const question = t("accounts.recovery.question");
  const lost = name === null
    ? t("accounts.recovery.consequence")
    : t("accounts.recovery.replaces", { name: String(name) });
  return await confirmed(question, lost, t("accounts.sign_in.button"), { style: "primary" }) &&
    await recover(secretOfLink, connection);
}

/**
 * Go on as the person who has signed in.
 * @param {SignedIn} signedIn
 * @param {Connection} connection
 */
export function becomes(signedIn, connection) {
  save("guest_key", signedIn.guest_key);
  save("name", signedIn.you.name);
  connection.reopen();
}
