/** Passkeys of the browser: made for the account, and asked for when a person signs in. */

import { t } from "../shared/messages.js";
import { ask } from "./requests.js";

/** @import { Passkey, SignedIn } from "./requests.js" */

/**
 * The options of the server: as WebAuthn's, with texts in base64url for bytes.
 * @typedef {any} Options
 */

/** Whether the browser knows passkeys, and the page may use them. */
export function knowsPasskeys() {
  return isSecureContext && "credentials" in navigator && "PublicKeyCredential" in globalThis;
}

/**
 * Create a passkey for this account.
 * @param {Options} options
 * @returns {Promise<Passkey | null>} null if the person has cancelled
 */
export async function createPasskey(options) {
  const credential = await chosen(() =>
    navigator.credentials.create({
      publicKey: {
        ...options,
        challenge: bytes(options.challenge),
        user: { ...options.user, id: bytes(options.user.id) },
        excludeCredentials: options.excludeCredentials.map(
          (/** @type {Options} */ each) => ({ ...each, id: bytes(each.id) }),
        ),
      },
    })
  );
  if (credential === null) {
    return null;
  }
  const made = /** @type {AuthenticatorAttestationResponse} */ (credential.response);
  const response = {
    clientDataJSON: text(made.clientDataJSON),
    attestationObject: text(made.attestationObject),
    transports: made.getTransports?.() ?? [],
  };
  return (await ask("/passkeys/add", { credential: described(credential, response) })).passkey;
}

/**
 * Sign in with a passkey; the browser shows those that it has for this site.
 * @returns {Promise<SignedIn | null>} null if the person has cancelled
 */
export async function signInWithPasskey() {
  const credential = await answered((await ask("/sign-in/options")).options);
  return credential && await ask("/sign-in", { credential });
}

/**
 * Prove with a passkey of this account that the person is there.
 * @returns {Promise<boolean>} false if the person has cancelled
 */
export async function proveByPasskey() {
  const credential = await answered((await ask("/proof/options")).options);
  if (credential !== null) {
    await ask("/proof", { credential });
  }
  return credential !== null;
}

/**
 * The answer of a passkey.
 * @param {Options} options
 * @returns {Promise<object | null>} null if the person has cancelled
 */
async function answered(options) {
  const publicKey = {
    ...options,
    challenge: bytes(options.challenge),
    allowCredentials: (options.allowCredentials ?? []).map(
      (/** @type {Options} */ each) => ({ ...each, id: bytes(each.id) }),
    ),
  };
  const credential = await chosen(() => navigator.credentials.get({ publicKey }));
  if (credential === null) {
    return null;
  }
  const answer = /** @type {AuthenticatorAssertionResponse} */ (credential.response);
  const response = {
    clientDataJSON: text(answer.clientDataJSON),
    authenticatorData: text(answer.authenticatorData),
    signature: text(answer.signature),
    userHandle: answer.userHandle && text(answer.userHandle),
  };
  return described(credential, response);
}

/**
 * @param {() => Promise<Credential | null>} choose
 * @returns {Promise<PublicKeyCredential | null>}
 */
async function chosen(choose) {
  try {
    return /** @type {PublicKeyCredential | null} */ (await choose());
  } catch (error) {
    if (error instanceof DOMException && error.name === "NotAllowedError") {
      return null; // cancelled, or not answered in time
    }
    if (error instanceof DOMException && error.name === "InvalidStateError") {
      throw new Error(t("accounts.passkey.present"), { cause: error });
    }
    throw error;
  }
}

/**
 * @param {PublicKeyCredential} credential
 * @param {object} response
 */
function described({ id, rawId, type }, response) {
  return { id, rawId: text(rawId), type, response };
}

/** @param {string} base64url */
function bytes(base64url) {
  const plain = atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
}

/** @param {ArrayBuffer} buffer */
function text(buffer) {
  const plain = String.fromCharCode(...new Uint8Array(buffer));
  return btoa(plain).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
