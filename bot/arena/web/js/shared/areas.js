/**
 * The capabilities of the arena that this page has: each is a folder with an `area.json` and an
 * `area.js`, and `js/areas.js` lists those that are there. No other script names one, so that a
 * capability is removed with its folder.
 */

/** @import { Session } from "./session.js" */

/**
 * A page: its element, what the title of the tab says, and the game that the rules begin with.
 * @typedef {object} Page
 * @property {HTMLElement} element with the id `page`
 * @property {string} title
 * @property {string | null} site the site's name in the title, if it is not the usual one
 * @property {string | null} subject a game
 * @property {() => void} dispose
 */

/**
 * What a page gets: `go` shows another address.
 * @typedef {{session: Session, areas: Areas, go: (path: string) => void}} Site
 */

/** A link on the front page; the lowest `place` comes first. @typedef {{place: number, href: string, words: string}} FrontLink */

/**
 * What a capability gives the page; its texts are loaded before one of its pages.
 * @typedef {object} AreaParts
 * @property {Record<string, (site: Site, id: string) => Promise<Page>>} pages
 *   by their names in `area.json`
 * @property {(session: Session) => FrontLink[]} [frontLinks]
 */

/** @typedef {AreaParts & {name: string, addresses: Record<string, string>}} Area */

/** What stands for a part of an address in `area.json`. @type {Record<string, string>} */
const PARTS = { "{id}": "([A-Za-z0-9_-]+)", "{name}": "([A-Za-z0-9%_.-]+)", "{word}": "([a-z]+)" };

export class Areas {
  /** @param {Area[]} areas */
  constructor(areas) {
    this.all = areas;
    this.routes = areas.flatMap((area) =>
      Object.entries(area.addresses).map(([address, page]) => ({
        area,
        page,
        pattern: addressPattern(address),
      }))
    );
  }

  /**
   * The page at an address and the id in it; null if no capability has it.
   * @param {string} path
   */
  pageAt(path) {
    for (const { area, page, pattern } of this.routes) {
      const found = pattern.exec(path);
      const open = found && area.pages[page];
      if (open) {
        return { area, open, id: found[1] ?? "" };
      }
    }
    return null;
  }

  /** The links on the front page. @param {Session} session */
  frontLinks(session) {
    const links = this.all.flatMap((area) => area.frontLinks?.(session) ?? []);
    return links.toSorted((one, two) => one.place - two.place);
  }
}

/** @param {string} address with `{id}`, `{name}` or `{word}`, as in `area.json` */
export function addressPattern(address) {
  const path = address.replace(/\{\w+\}/g, (part) => PARTS[part] ?? part);
  return new RegExp(`^/${path}/?$`);
}
