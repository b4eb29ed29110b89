/**
 * The capabilities of the arena that this page has: each is a folder with an `area.json` and an
 * `area.js`, and `js/areas.js` lists those that are there. No other script names one, so that a
 * capability is removed with its folder.
 */

import { loadMessages } from "./messages.js";

/** @import { Child } from "./dom.js" */
/** @import { GameOffer } from "./api.js" */
/** @import { Session } from "./session.js" */
/** @import { Signal } from "./signal.js" */
/** @import { AnalysisSetup, GameSetup, GameState, Player, Seat } from "./wire.d.ts" */

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
 * @typedef {{session: Session, areas: Areas, go: (path: string) => Promise<void>}} Site
 */

/** @typedef {{href: string, words: string}} Link */
/**
 * A section of the front page: its name, what it is drawn from, and how.
 * @typedef {object} FrontPanel
 * @property {string} words
 * @property {(session: Session) => unknown} source
 * @property {(session: Session) => Child[]} draw nothing hides the section
 * @property {boolean} [isOwn] whether it has the person's own games, which come first
 */
/** @typedef {Required<Pick<AnalysisSetup, "game">> & {board: string | null, rules: string | null, options: Record<string, string>}} Played */
/**
 * A panel beside a board on which a person studies positions.
 * @typedef {object} PositionPanel
 * @property {HTMLElement} element
 * @property {Signal<string>} chosen a turn to play
 * @property {Signal<string | null>} pointed a turn to show on the board
 * @property {number} kinds of stones that a player owns
 * @property {(played: Played, turns: readonly string[]) => void} show
 */

/**
 * A panel of a player beside their game: a button opens it.
 * @typedef {object} PlayerPanel
 * @property {(game: GameState, seat: Seat) => boolean} isFor
 * @property {(session: Session, id: string) => Promise<OpenPanel>} make
 */
/**
 * @typedef {object} OpenPanel
 * @property {HTMLElement} panel
 * @property {HTMLElement} button
 * @property {(game: GameState, seat: Seat) => void} update
 * @property {() => void} dispose
 */

/**
 * A part of the form for games and tournaments: its name, and the class of its style.
 * @typedef {object} SetupField
 * @property {string} words
 * @property {string} style
 * @property {HTMLElement} element
 * @property {(setup: GameSetup, offer: GameOffer) => void} update the other fields have changed
 * @property {(setup: GameSetup) => GameSetup} applied the setup with what the field says
 */

/** What stands beside the name of a player in a game. @typedef {(game: GameState, seat: Seat) => Child} PlayerNote */

/** @typedef {{pattern: RegExp, take: (site: Site, secret: string) => Promise<void>}} HashLink */
/** A link that makes the browser another player's. @typedef {{pattern: RegExp, take: (secret: string) => Promise<void>}} SignInLink */

/** A link on the front page; the lowest `place` comes first. @typedef {{place: number, href: string, words: string}} FrontLink */

/**
 * What a capability gives the page; its texts are loaded before one of its pages.
 * @typedef {object} AreaParts
 * @property {Record<string, (site: Site, id: string) => Promise<Page>>} pages
 *   by their names in `area.json`
 * @property {(session: Session) => FrontLink[]} [frontLinks]
 * @property {FrontPanel} [frontPanel] a section of the front page
 * @property {(game: GameState) => Link[]} [gameLinks] beside the result of a game
 * @property {() => Promise<PositionPanel>} [positionPanel]
 * @property {PlayerPanel} [playerPanel]
 * @property {(isForGame: boolean, session: Session, areas: Areas) => Promise<SetupField>} [setupField]
 *   in the form for a game, or for the games of a tournament
 * @property {(redraw: () => void) => PlayerNote} [playerNotes] of one game; may ask to be drawn again
 * @property {(site: Site) => void} [start] called once, before the page connects
 * @property {(session: Session) => Promise<Child>} [setting] a row in the window of the settings
 * @property {(session: Session) => Promise<Child>} [settingsSection] below these rows
 * @property {HashLink} [hashLink] a secret in the address of any page
 * @property {SignInLink} [signInLink] it is taken before the page connects
 * @property {(you: Player | null) => Link[]} [ownLinks] where people look after their account
 * @property {(game: GameState, you: Player | null) => Child} [afterGame] below a person's finished game
 * @property {(game: GameState) => Promise<void> | null} [share] opens a window with the game's files; null leaves that to the page
 * @property {(game: string) => Player[]} [botsHere] bots that play a game without the server
 * @property {StartHere} [startHere] a button that starts a game on this device
 */

/**
 * `chosen` gives what is to be played; null if the form is not valid.
 * @typedef {(game: string, session: Session, chosen: () => GameSetup | null) => Child} StartHere
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

  /** The sections of the front page. */
  get frontPanels() {
    return this.all.flatMap(({ frontPanel }) => frontPanel ? [frontPanel] : []);
  }

  /** The links beside the result of a game. @param {GameState} game */
  gameLinks(game) {
    return this.all.flatMap((area) => area.gameLinks?.(game) ?? []);
  }

  /**
   * The panels of a player beside their game.
   * @param {GameState} game
   * @param {Seat} seat
   */
  playerPanels(game, seat) {
    return this.all.flatMap(({ name, playerPanel }) =>
      playerPanel?.isFor(game, seat) ? [{ name, make: playerPanel.make }] : []
    );
  }

  /**
   * Fields of the form for a game, or for those of a tournament.
   * @param {boolean} isForGame
   * @param {Session} session
   */
  async setupFields(isForGame, session) {
    const fields = this.all.flatMap(({ name, setupField }) =>
      setupField ? [loadMessages(name).then(() => setupField(isForGame, session, this))] : []
    );
    return await Promise.all(fields);
  }

  /** What stands beside the names of the players of one game. @param {() => void} redraw */
  playerNotes(redraw) {
    const notes = this.all.flatMap(({ playerNotes }) => playerNotes ? [playerNotes(redraw)] : []);
    return (/** @type {GameState} */ game, /** @type {Seat} */ seat) =>
      notes.map((note) => note(game, seat));
  }

  /** Rows in the window of the settings, and sections below them. @param {Session} session */
  async settings(session) {
    const made = (/** @type {"setting" | "settingsSection"} */ part) =>
      this.all.flatMap(({ name, [part]: make }) =>
        make ? [loadMessages(name).then(() => make(session))] : []
      );
    return await Promise.all([...made("setting"), ...made("settingsSection")]);
  }

  /** The links that make the browser another player's. */
  get signInLinks() {
    return this.all.flatMap(({ signInLink }) => signInLink ? [signInLink] : []);
  }

  /** The links to where people look after their account. @param {Player | null} you */
  ownLinks(you) {
    return this.all.flatMap((area) => area.ownLinks?.(you) ?? []);
  }

  /**
   * What stands below a finished game of a person.
   * @param {GameState} game
   * @param {Player | null} you
   */
  afterGame(game, you) {
    return this.all.map((area) => area.afterGame?.(game, you) ?? null);
  }

  /** The window with a game's files; null if no capability has its own. @param {GameState} game */
  shared(game) {
    return this.all.reduce(
      (/** @type {Promise<void> | null} */ found, { share }) => found ?? share?.(game) ?? null,
      null,
    );
  }

  /** The bots that play a game without the server, the weakest first. @param {string} game */
  botsHere(game) {
    return this.all.flatMap((area) => area.botsHere?.(game) ?? []);
  }

  /** The buttons that start a game on this device. @type {(...about: Parameters<StartHere>) => Child[]} */
  startsHere(...about) {
    return this.all.map(({ startHere }) => startHere?.(...about) ?? null);
  }

  /** The panels beside a board on which a person studies positions. */
  async positionPanels() {
    const makers = this.all.flatMap(({ name, positionPanel }) =>
      positionPanel ? [loadMessages(name).then(positionPanel)] : []
    );
    return await Promise.all(makers);
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
