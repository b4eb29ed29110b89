/**
 * Where the arena is on its site: at the top, or below a path.
 *
 * Scripts write all addresses as if the arena were at the top, such as `/games`. What hands one to
 * the browser goes through this module: `h` and `setAttributes` for elements, and `addressOf` for
 * requests and the history. So no script can forget the path; a test looks for those that try.
 */

/** The path before all addresses of this arena, such as `/games/bluestone`; mostly empty. */
export const BASE = document.documentElement.dataset["base"] ?? "";

/**
 * The address for the browser.
 * @param {string} path as if the arena were at the top
 */
export function addressOf(path) {
  return BASE + path;
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
  return pathIn(location.pathname);
}
