/**
 * Where the arena is on its site: at the top, or below a path.
 *
 * Scripts write all addresses as if the arena were at the top, such as `/games`. What hands one to
 * the browser goes through this module: `h` and `setAttributes` for elements, and `addressOf` for
 * requests and the history. So no script can forget the path; a test looks for those that try.
 *
 * A static site is a folder of files without a server, which `bluestone static` writes. It has one
 * document for all ids: `/game/ID` is `/game/?ID` there. What a server answers below `/api` is in
 * files, whose names end with `.json`.
 */

const { dataset } = document.documentElement;

/** The capabilities of a static site; null: there is a server. */
export const STATIC = dataset["static"]?.split(" ") ?? null;

/** The path before all addresses of this arena, such as `/games/bluestone`; mostly empty. */
export const BASE = found(dataset["base"] ?? "");

/**
 * A document of a static site knows only where its folder is relative to itself.
 * @param {string} base
 */
function found(base) {
  return base.startsWith(".")
    ? new URL(`${base}/`, location.href).pathname.replace(/\/$/, "")
    : base;
}
dataset["base"] = BASE;

/** An address of a page: its kind, mostly an id, and the rest. */
const PAGE = /^\/([a-z]+)(?:\/([\w-]+))?\/?(?:\?([^#]*))?(#.*)?$/;

/**
 * The address for the browser.
 * @param {string} path as if the arena were at the top
 */
export function addressOf(path) {
  return BASE + (STATIC ? inFolder(path) : path);
}

/** @param {string} path */
function inFolder(path) {
  const [, kind, id, query, hash = ""] = PAGE.exec(path) ?? [];
  const asked = [id, query].filter(Boolean).join("&");
  return kind ? `/${kind}/${asked && `?${asked}`}${hash}` : path;
}

/**
 * The address of what a server answers below `/api` and never changes.
 * @param {string} path
 */
export function documentPath(path) {
  return STATIC ? path.replace(/(?=\?|$)/, ".json") : path;
}

/**
 * The address for other people and programs.
 * @param {string} path as if the arena were at the top
 */
export function linkTo(path) {
  return location.origin + addressOf(path);
}

/**
 * The path of a browser's address, as if the arena were at the top.
 * @param {string} pathname
 */
export function pathIn(pathname) {
  return pathname.startsWith(`${BASE}/`) ? pathname.slice(BASE.length) : pathname;
}

/** The path of the present page, as if the arena were at the top. */
export function here() {
  const path = pathIn(location.pathname);
  const [, id] = (STATIC && /^\?([\w-]+)(?:&|$)/.exec(location.search)) || [];
  return id && path.endsWith("/") ? path + id : path;
}
