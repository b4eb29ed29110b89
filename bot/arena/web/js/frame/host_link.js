/**
 * Signs in with a link: a host's from the operator has a key, and one from the person's other
 * device has a secret that gets a key once.
 *
 * Anyone can make such a link, and the former key is kept nowhere else. So the person is always
 * asked: with a key, because the page does not know what would be lost, and without one, because a
 * stranger could follow what the person does as the stranger's player.
 */

import { ask } from "../shared/account_requests.js";
import { confirmed, notifyOf } from "../shared/dialogs.js";
import { t } from "../shared/messages.js";
import { load, save } from "../shared/storage.js";

/** @import { SignedIn } from "../shared/account_requests.js" */

const LINK = /^#(guest_key|device)=([A-Za-z0-9_-]+)$/;

/**
 * Remove the secret from the address, where others could see it; sign in if the person agrees.
 * @returns {Promise<boolean>} whether the browser is another player now
 */
export async function takeSignInLink() {
  const [, kind, secret] = LINK.exec(location.hash) ?? [];
  if (!secret) {
    return false;
  }
  history.replaceState(null, "", location.pathname);
  const known = load("guest_key", null);
  if (known === secret || !(await agrees(known !== null))) {
    return false;
  }
  if (kind === "guest_key") {
    save("guest_key", secret);
    save("name", null);
    return true;
  }
  try {
    const signedIn = /** @type {SignedIn} */ (await ask("/devices/use", { secret }));
    save("guest_key", signedIn.guest_key);
    save("name", signedIn.you.name);
    return true;
  } catch (error) {
    notifyOf(error);
    return false;
  }
}

/**
 * @param {boolean} hasPlayer whether this browser belongs to a player
 * @returns {Promise<boolean>}
 */
async function agrees(hasPlayer) {
  // A browser that was signed in by a host's link keeps no name.
  const name = load("name", null);
  const lost = !hasPlayer
    ? t("common.sign_in.new_browser")
    : name === null
    ? t("common.sign_in.lost_unnamed")
    : t("common.sign_in.lost", { name: String(name) });
  return await confirmed(t("common.sign_in.question"), lost, t("common.sign_in.do"));
}
