/** Parts of the page that are loaded when a person asks for them. */

import { notify } from "./dialogs.js";
import { t } from "./messages.js";

/**
 * What `load` imports; null, with a notice, if it cannot be loaded: mostly without a connection.
 * @template T
 * @param {() => Promise<T>} load
 * @returns {Promise<T | null>}
 */
export async function loadPart(load) {
  try {
    return await load();
  } catch {
    notify(t(navigator.onLine ? "common.page.failed" : "common.connection.offline"));
    return null;
  }
}
