/** Signing in by a link with a key: a host's from the operator, or one's own from another device. */

import { confirmed } from "../shared/dialogs.js";
import { load, save } from "../shared/storage.js";

const KEY = /^#guest_key=([A-Za-z0-9_-]+)$/;

/**
 * Take the key out of the address, where it would be seen, and keep it, if the person agrees.
 * @returns {Promise<boolean>} whether the person is another one now
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
  const lost = `You are ${name} in this browser. To return, you need the key of ${name}: ` +
    "copy it from Settings first.";
  if (name === null || (await confirmed("Sign in with this key?", lost, "Sign in"))) {
    save("guest_key", key);
    save("name", null);
    return true;
  }
  return false;
}
