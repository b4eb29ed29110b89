/** The secrets of recovery links. */

const SECRET = /^[A-Za-z0-9_-]{20,100}$/;

/**
 * The secret in a text that a person has pasted: a link, or only the secret.
 * @param {string} pasted
 * @returns {string | null}
 */
export function secretIn(pasted) {
  const found = pasted.trim().split("#recover=").pop() ?? "";
  return SECRET.test(found) ? found : null;
}
