/** The key of this browser, which proves to the server who asks. */

import { load } from "./storage.js";

/**
 * The header that says who asks; none if the browser has no player yet.
 * @returns {Record<string, string>}
 */
export function keyHeader() {
  const key = load("guest_key", null);
  return key === null ? {} : { authorization: `Bearer ${key}` };
}
