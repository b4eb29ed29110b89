/** The service worker, which keeps the page for times without a connection. */

import { addressOf } from "../shared/site.js";

const WORKER = "/service_worker.js";

/** Let the browser keep the page for times without a connection. */
export async function registerWorker() {
  try {
    // Browsers allow it over HTTPS and on localhost.
    await navigator.serviceWorker?.register(addressOf(WORKER));
  } catch {
    // The page works without it.
  }
}
