/** What games on this device need is kept by the browser before there is no connection. */

import { language } from "../shared/messages.js";
import { addressOf, STATIC } from "../shared/site.js";

/** @typedef {{files: string[], texts: string[]}} Offline */

/** What a first visitor does next needs the network more. */
const LATER_MS = 3_000;
/** Files that the page requests without its version. */
const UNVERSIONED = /^\/(assets\/|api\/games)/;

/**
 * Have the service worker keep all files of this version of the page, when nothing else is to do. A
 * page from its sources has no version, and a person who saves data is left alone.
 */
export async function keepForOffline() {
  const { build, engine = "" } = document.documentElement.dataset;
  if (!build || !navigator.serviceWorker || savesData()) {
    return;
  }
  const { active } = await navigator.serviceWorker.ready;
  await idle();
  const response = await fetch(addressOf(`/assets/offline.json?v=${build}`));
  if (response.ok) {
    const { files, texts } = /** @type {Offline} */ (await response.json());
    const keep = [
      ...files.map((path) => UNVERSIONED.test(path) ? path : `${path}?v=${build}`),
      ...texts.map((area) => `/messages/${language}/${area}.json?v=${build}`),
      ...(STATIC ? [] : engine.split(" ").map((game) => `/api/boards/${game}?v=${build}`)),
      ...(STATIC ? [] : ["/api/games"]),
    ];
    active?.postMessage({ keep });
  }
}

/** Whether the files, half a megabyte for each version of the page, may cost the person something. */
function savesData() {
  const { connection } =
    /** @type {{connection?: {saveData: boolean, effectiveType: string}}} */ (navigator);
  return connection !== undefined && (connection.saveData || connection.effectiveType !== "4g");
}

/** Resolved when nothing else is to do, a while after the page is there. */
async function idle() {
  await new Promise((resolve) => setTimeout(resolve, LATER_MS));
  if ("requestIdleCallback" in globalThis) {
    await new Promise((resolve) => requestIdleCallback(resolve));
  }
}
