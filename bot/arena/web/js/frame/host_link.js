/**
 * Signs in with the key of a link: a host's from the operator, or the person's from another device.
 *
 * Anyone can make such a link, and the former key is kept nowhere else. So a browser that has a key
 * is always asked, also if its player has no name: the page does not know what would be lost.
 */

import { confirmed } from "../shared/dialogs.js";
import { t } from "../shared/messages.js";
import { load, save } from "../shared/storage.js";

const KEY = /^#guest_key=([A-Za-z0-9_-]+)$/;

/**
 * Remove the key from the address, where others could see it, and store it if the person agrees.
 * @returns {Promise<boolean>} whether the browser is another player now
 */
export async function takeHostKey() {
  const [, key] = KEY.exec(location.hash) ?? [];
  if (!key) {
    return false;
  }
  history.replaceState(null, "", location.pathname);
  const known = load("guest_key", null);
  if (known === key || (known !== null && !(await agrees()))) {
    return false;
  }
  save("guest_key", key);
  save("name", null);
  return true;
}

/** @returns {Promise<boolean>} */
async function agrees() {
  // A browser that was signed in by a link keeps no name.
  const name = load("name", null);
  const lost = name === null
    ? t("common.sign_in.lost_unnamed")
    : t("common.sign_in.lost", { name: String(name) });
  return await confirmed(t("common.sign_in.question"), lost, t("common.sign_in.do"));
}
