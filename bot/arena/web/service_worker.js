/**
 * What the browser runs for this site without a page: it keeps the page for times without a
 * connection, and shows the notifications that the server sends.
 */

/// <reference lib="webworker" />

const scope = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));
/** The path before all addresses of this arena, as `BASE` in `js/shared/site.js`; mostly empty. */
const BASE = new URL(scope.registration.scope).pathname.replace(/\/$/, "");
/** Several arenas of one site share the caches. */
const CACHE = `page${BASE}`;
const INDEX = `${BASE}/`;
/** Addresses that give no document of the page, or one for the frames of other sites. */
const OTHERS = /^\/(api|embed)(\/|$)/;
/** The version of the page in its document; sources have none. */
const BUILD = /<html[^>]* data-build="([^"]*)"/;
/** A script of the page in its document, which no document of a proxy or of a captive portal has. */
const SCRIPT = /<script[^>]* src="[^"]*\/(assets\/main\.\w+|js\/main)\.js"/;
/** Browsers end a worker whose work takes five minutes, and the requests of pages with it. */
const LONGEST_KEEPING_MS = 240_000;
/** Files whose names change with their content. */
const FIXED = /^\/(assets\/|(messages|engine|lessons)\/.*\?v=)/;
/** Documents that the page needs to draw the games that it remembers. */
const FACTS = /^\/api\/(games(\.json)?|(boards|puzzles)\/[^/]+(\/[^/]+)?)$/;
/** Addresses in a document of a static site, which are relative to it. */
const RELATIVE = /\b(href|src|data-base)="\.\.?(?=[/"])/g;
const BOARD = /^(\/api\/boards\/[^/]+)\/([^/]+)$/;
const ENGLISH = { your_turn: "Your turn against {opponent}", turn: "Turn {turn}" };

scope.addEventListener("install", () => void scope.skipWaiting());
scope.addEventListener("activate", (event) => event.waitUntil(scope.clients.claim()));

scope.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname, search } = new URL(request.url);
  const path = pathIn(pathname);
  if (request.method !== "GET" || origin !== scope.location.origin || path === null) {
    return;
  }
  if (request.mode === "navigate") {
    event.respondWith(navigation(request));
  } else if (FIXED.test(path + search)) {
    event.respondWith(kept(request));
  } else if (FACTS.test(path)) {
    event.respondWith(newest(request));
  }
});

/**
 * The path of an address, as if the arena were at the top; null if it is not of this arena.
 * @param {string} pathname
 */
function pathIn(pathname) {
  return pathname.startsWith(INDEX) ? pathname.slice(BASE.length) : null;
}

/**
 * The page's document: from the server, or the last one if it does not answer.
 * @param {Request} request
 */
async function navigation(request) {
  try {
    const response = await fetch(request);
    if (response.ok && await isPage(request, response)) {
      await keepIndex(response.clone());
    }
    return response;
  } catch (error) {
    const known = await caches.match(INDEX);
    if (known) {
      return known;
    }
    throw error;
  }
}

/**
 * @param {Request} request
 * @param {Response} response
 */
async function isPage({ url }, response) {
  const type = response.headers.get("Content-Type") ?? "";
  return type.startsWith("text/html") && !OTHERS.test(pathIn(new URL(url).pathname) ?? "") &&
    SCRIPT.test(await response.clone().text());
}

/**
 * Keep the document. Files of an older version of the page are dropped with it.
 *
 * The ETag says nothing about the version: documents of one version have other texts for previews
 * at each address.
 * @param {Response} response
 */
async function keepIndex(response) {
  const known = await caches.match(INDEX);
  if (known && await buildOf(known) !== await buildOf(response)) {
    await caches.delete(CACHE);
  }
  const cache = await caches.open(CACHE);
  await cache.put(INDEX, await forAllAddresses(response));
}

/**
 * The document of a static site, as it can be shown at any address.
 * @param {Response} response
 */
async function forAllAddresses(response) {
  const text = await response.clone().text();
  const changed = text.replace(RELATIVE, `$1="${BASE}`);
  const headers = { "Content-Type": "text/html; charset=utf-8" };
  return changed === text ? response : new Response(changed, { headers });
}

/** @param {Response | undefined} response */
async function buildOf(response) {
  return response && BUILD.exec(await response.clone().text())?.[1];
}

/**
 * A file that never changes.
 * @param {Request} request
 */
async function kept(request) {
  return (await caches.match(request)) ?? await fetchAndKeep(request);
}

/**
 * A document as the server has it, or as it was.
 * @param {Request} request
 */
async function newest(request) {
  try {
    return await fetchAndKeep(request);
  } catch (error) {
    const known = (await caches.match(request)) ?? await boardAmongUsual(request);
    if (known) {
      return known;
    }
    throw error;
  }
}

/**
 * A board out of the document with all usual boards of its game, which the front page requests.
 * @param {Request} request
 */
async function boardAmongUsual({ url }) {
  const { pathname, search } = new URL(url);
  const [, usual, board = ""] = BOARD.exec(pathIn(pathname) ?? "") ?? [];
  const known = usual && await caches.match(BASE + usual + search);
  const found = known && (await known.json()).boards[decodeURIComponent(board)];
  return found ? Response.json(found) : undefined;
}

/**
 * @param {Request} request
 * @param {AbortSignal | null} [signal]
 */
async function fetchAndKeep(request, signal = null) {
  const response = await fetch(request, { signal });
  if (response.ok) {
    const cache = await caches.open(CACHE);
    await cache.put(request, response.clone());
  }
  return response;
}

/** What is being kept: several pages may ask at once. @type {Promise<void>} */
let keeping = Promise.resolve();

scope.addEventListener("message", (event) => {
  const { keep } = /** @type {{keep: string[]}} */ (event.data);
  // What is missing then is kept another time.
  keeping = keeping.then(() => keepAll(keep)).catch(() => undefined);
  event.waitUntil(keeping);
});

/**
 * Keep the document and some files of its version, one after the other: a visitor may be reading.
 * @param {string[]} paths
 */
async function keepAll(paths) {
  const index = new Request(INDEX);
  const requests = [index, ...paths.map((path) => new Request(BASE + path))];
  if ((await missing(requests)).length === 0) {
    return;
  }
  const signal = AbortSignal.timeout(LONGEST_KEEPING_MS);
  const response = await fetch(index, { signal });
  const build = await buildOf(response);
  const isOfPage = paths.some((path) => path.endsWith(`?v=${build}`));
  if (!response.ok || !isOfPage || !await isPage(index, response)) {
    return; // the server has another version by now, whose page keeps its own files
  }
  await keepIndex(response); // which may drop all other files
  for (const request of await missing(requests)) {
    await fetchAndKeep(request, signal);
  }
}

/** @param {Request[]} requests */
async function missing(requests) {
  const kept = await Promise.all(requests.map((request) => caches.match(request)));
  return requests.filter((_, index) => !kept[index]);
}

/**
 * @typedef {object} Notice
 * @property {string} language
 * @property {string} opponent
 * @property {string} game_id
 * @property {number} turn
 */

scope.addEventListener("push", (event) => {
  event.waitUntil(show(/** @type {Notice} */ (event.data?.json())));
});

/** @param {Notice} notice */
async function show({ language, opponent, game_id: id, turn }) {
  const texts = await textsIn(language);
  await scope.registration.showNotification(texts.your_turn.replace("{opponent}", opponent), {
    body: texts.turn.replace("{turn}", String(turn)),
    tag: id,
    icon: `${BASE}/icons/icon-192.png`,
    badge: `${BASE}/icons/badge-96.png`,
    data: { path: `${BASE}/game/${id}` },
  });
}

/**
 * @param {string} language
 * @returns {Promise<typeof ENGLISH>}
 */
async function textsIn(language) {
  try {
    const response = await newest(new Request(`${BASE}/messages/${language}/push.json`));
    return { ...ENGLISH, ...await response.json() };
  } catch {
    return ENGLISH;
  }
}

scope.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data.path));
});

/** @param {string} path */
async function open(path) {
  const pages = await scope.clients.matchAll({ type: "window" });
  const there = pages.find((page) => new URL(page.url).pathname === path);
  if (there) {
    await there.focus();
  } else {
    await scope.clients.openWindow(path);
  }
}
