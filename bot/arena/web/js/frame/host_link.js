/**
 * Signs in with a link: a host's from the operator has a key, and capabilities have others.
 *
 * Anyone can make such a link, and the former key is kept nowhere else. So the person is always
 * asked: with a key, because the page does not know what would be lost, and without one, because a
 * stranger could follow what the person does as the stranger's player.
 */

import { confirmed, notifyOf } from "../shared/dialogs.js";
import { t } from "../shared/messages.js";
import { load, save } from "../shared/storage.js";

/** @import { Areas, SignInLink } from "../shared/areas.js" */

/** @type {SignInLink} */
const HOST_LINK = {
  pattern: /^#guest_key=([A-Za-z0-9_-]+)$/,
  take: (key) => {
    save("guest_key", key);
    save("name", null);
    return Promise.resolve();
  },
};

/**
 * Remove the secret from the address, where others could see it; sign in if the person agrees.
 * @param {Areas} areas
 * @returns {Promise<boolean>} whether the browser is another player now
 */
export async function takeSignInLink(areas) {
  for (const { pattern, take } of [HOST_LINK, ...areas.signInLinks]) {
    const [, secret] = pattern.exec(location.hash) ?? [];
    if (secret) {
      history.replaceState(null, "", location.pathname);
      return await signIn(secret, take);
    }
  }
  return false;
}

/**
 * @param {string} secret
 * @param {SignInLink["take"]} take
 */
async function signIn(secret, take) {
  const known = load("guest_key", null);
  if (known === secret || !(await agrees(known !== null))) {
    return false;
  }
  try {
    await take(secret);
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
