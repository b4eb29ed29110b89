/** Signs in with the key of a link: a host's from the operator, or the person's from another device. */

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
  const name = load("name", null);
  if (load("guest_key", null) === key) {
    return false;
  }
  const lost = t("common.sign_in.lost", { name: String(name) });
  const question = t("common.sign_in.question");
  if (name === null || (await confirmed(question, lost, t("common.sign_in.do")))) {
    save("guest_key", key);
    save("name", null);
    return true;
  }
  return false;
}
