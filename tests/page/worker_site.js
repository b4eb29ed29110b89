/** A site with its service worker and the browser's caches, for tests of the worker. */

/** An answer that does not come. @type {Promise<Response>} */
export const NEVER = new Promise(() => undefined);
const SITE = "http://site.example";
const SCRIPT = Deno.readTextFileSync(
  new URL("../../bot/arena/web/service_worker.js", import.meta.url),
);

/** @typedef {(path: string) => Response | Promise<Response>} Answer */

/** One cache, as `caches` of the browser; the worker uses no more. */
class Caches {
  /** @type {Map<string, Response>} */
  stored = new Map();

  /** @param {Request | string} request */
  match(request) {
    return Promise.resolve(this.stored.get(pathOf(request))?.clone());
  }

  open() {
    return Promise.resolve({
      put: async (/** @type {Request | string} */ request, /** @type {Response} */ response) => {
        const { status, headers } = response;
        this.stored.set(pathOf(request), new Response(await response.text(), { status, headers }));
      },
    });
  }

  delete() {
    this.stored.clear();
    return Promise.resolve(true);
  }
}

export class Site {
  /** @type {string[]} */
  asked = [];
  /** The games that were opened by a click. @type {string[]} */
  opened = [];
  mostAtOnce = 0;
  timeOut = () => {};
  #atOnce = 0;
  #caches = new Caches();
  /** @type {Map<string, (event: object) => void>} */
  #listeners = new Map();
  /** @type {Map<string, () => void>} */
  #heard = new Map();

  /** @param {Answer} answer of the server; throws without a connection */
  constructor(answer) {
    this.answer = answer;
    const scope = {
      registration: { scope: `${SITE}/` },
      location: new URL(SITE),
      clients: {
        matchAll: () => Promise.resolve([]),
        openWindow: (/** @type {string} */ path) => void this.opened.push(path),
      },
      addEventListener: (/** @type {string} */ name, /** @type {() => void} */ listener) =>
        this.#listeners.set(name, listener),
    };
    const timeout = {
      timeout: () => {
        const ending = new AbortController();
        this.timeOut = () => ending.abort();
        return ending.signal;
      },
    };
    class SiteRequest extends Request {
      /** @param {string} address */
      constructor(address) {
        super(new URL(address, SITE));
      }
    }
    const names = ["self", "caches", "fetch", "Request", "AbortSignal"];
    const fetch = this.#fetch.bind(this);
    new Function(...names, SCRIPT)(scope, this.#caches, fetch, SiteRequest, timeout);
  }

  /** The paths of what is kept. */
  get kept() {
    return [...this.#caches.stored.keys()];
  }

  /**
   * @param {Request} request
   * @param {{ signal?: AbortSignal | null }} [options]
   */
  async #fetch(request, { signal } = {}) {
    const path = pathOf(request);
    this.asked.push(path);
    this.#heard.get(path)?.();
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#atOnce);
    /** @type {Promise<never>} */
    const aborted = new Promise((_, reject) =>
      signal?.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")))
    );
    try {
      return await Promise.race([this.answer(path), aborted]);
    } finally {
      this.#atOnce -= 1;
    }
  }

  /** Resolved when the server is asked for a path. @param {string} path */
  async hears(path) {
    if (!this.asked.includes(path)) {
      await new Promise((resolve) => this.#heard.set(path, () => resolve(null)));
    }
  }

  /**
   * @param {string} name
   * @param {object} fields
   */
  async #event(name, fields) {
    /** @type {unknown} */
    let done;
    const until = (/** @type {unknown} */ promise) => done = promise;
    this.#listeners.get(name)?.({ ...fields, waitUntil: until, respondWith: until });
    return await done;
  }

  /** @param {string[]} paths */
  async keep(paths) {
    await this.#event("message", { data: { keep: paths } });
  }

  /** @param {string} path */
  async visit(path) {
    const request = { url: SITE + path, method: "GET", mode: "navigate" };
    return /** @type {Response} */ (await this.#event("fetch", { request }));
  }

  /** @param {string} path */
  async get(path) {
    return /** @type {Response} */ (
      await this.#event("fetch", { request: new Request(SITE + path) })
    );
  }

  /** Click on a notification. @param {string} path of its game */
  async click(path) {
    const notification = { close: () => undefined, data: { path } };
    await this.#event("notificationclick", { notification });
  }
}

/** @param {Request | { url: string } | string} request */
function pathOf(request) {
  const { pathname, search } = new URL(typeof request === "string" ? request : request.url, SITE);
  return pathname + search;
}
