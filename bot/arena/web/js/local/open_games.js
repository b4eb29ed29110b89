/**
 * The games of this device that are open in this tab. A change is on the disk before it is shown.
 *
 * Several tabs may change a game: a change that was made from an old state is refused.
 */

import { t } from "../shared/messages.js";
import { DamagedGame, PlayedGame } from "./played_game.js";
import { refusal, refuseIf } from "./refusals.js";
import { readGame } from "./stored_game.js";

/** @import { Setup } from "../engine/mechanics.d.ts" */
/** @import { Rules } from "../engine/rules.js" */
/** @import { StoredGame } from "./stored_game.js" */

/** How many games stay open with all their positions. */
const MOST_OPEN = 4;

/**
 * @typedef {object} Store
 * @property {() => Promise<unknown[]>} all
 * @property {(id: string) => Promise<unknown>} read
 * @property {(game: StoredGame, revision: number) => Promise<boolean>} write
 */

/**
 * @typedef {object} Keeping
 * @property {Store} store
 * @property {(setup: Setup) => Promise<Rules | null>} loadRules
 * @property {(sentence: string) => void} warn
 * @property {(game: StoredGame) => void} changed a stored game is new or changed
 */

export class OpenGames {
  #around;
  /** By id; those opened last come last. @type {Map<string, PlayedGame>} */
  #games = new Map();
  /** By id: what is done last with a game. @type {Map<string, Promise<unknown>>} */
  #doing = new Map();

  /** @param {Keeping & { tell: (game: PlayedGame) => void }} around `tell` shows a new state */
  constructor(around) {
    this.#around = around;
  }

  get ids() {
    return [...this.#games.keys()];
  }

  /** All stored games that this page can read. @returns {Promise<StoredGame[]>} */
  async all() {
    const all = await this.#stored(this.#around.store.all());
    return all.flatMap((each) => readGame(each) ?? []);
  }

  /**
   * Store a new game.
   * @param {StoredGame} game
   * @throws {Refused}
   */
  async add(game) {
    await this.#stored(this.#around.store.write(game, 0));
    this.#around.changed(game);
  }

  /**
   * @param {string} id
   * @throws {Refused}
   */
  async get(id) {
    return this.#games.get(id) ?? await this.fresh(id);
  }

  /**
   * A game as it is on the disk.
   *
   * A game that cannot be read stays there: a later version of the page may have written it, or the
   * engine may have failed.
   * @param {string} id
   * @throws {Refused} it is not here, cannot be read, or this browser has no rules for it
   */
  async fresh(id) {
    const found = await this.#stored(this.#around.store.read(id));
    refuseIf(found === undefined, "unknown_game_id", t("outside.local.unknown"));
    const stored = readGame(found);
    const rules = stored && await this.rules(stored.setup);
    refuseIf(stored !== null && rules === null, "not_now", t("outside.local.no_board"));
    try {
      if (!stored || !rules) {
        throw new DamagedGame("its form is unknown");
      }
      const known = this.#games.get(id) ?? null;
      return this.#remember(PlayedGame.opened(stored, known?.position.rules ?? rules, known));
    } catch (error) {
      if (!(error instanceof DamagedGame)) {
        throw error;
      }
      throw refusal("unknown_game_id", t("outside.local.damaged"));
    }
  }

  /** The rules of a setup; null if this browser has none. @param {Setup} setup */
  async rules(setup) {
    const same = [...this.#games.values()].find(({ stored }) =>
      JSON.stringify(stored.setup) === JSON.stringify(setup)
    );
    return same?.position.rules ?? await this.#around.loadRules(setup);
  }

  /** @param {PlayedGame} game */
  #remember(game) {
    this.#games.delete(game.id);
    this.#games.set(game.id, game);
    const [oldest = ""] = this.#games.keys();
    if (this.#games.size > MOST_OPEN) {
      this.#games.delete(oldest);
    }
    return game;
  }

  /**
   * Write a change to the disk, and show it.
   * @param {PlayedGame} game
   * @param {StoredGame} next
   * @throws {Refused} `stale_ply`: another tab has changed the game
   */
  async keep(game, next) {
    const isWritten = await this.#stored(this.#around.store.write(next, game.stored.revision));
    if (!isWritten) {
      this.#around.tell(await this.fresh(game.id));
      throw refusal("stale_ply");
    }
    const changed = PlayedGame.opened(next, game.position.rules, game);
    this.#around.changed(next);
    this.#remember(changed);
    this.#around.tell(changed);
    return changed;
  }

  /**
   * Wait for the browser's storage.
   * @template T
   * @param {Promise<T>} asked
   */
  async #stored(asked) {
    try {
      return await asked;
    } catch (error) {
      const why = error instanceof Error ? error.message || error.name : String(error);
      throw refusal("not_now", t("outside.local.not_kept", { why }));
    }
  }

  /**
   * Do one thing after the other with a game.
   * @template T
   * @param {string} id
   * @param {() => Promise<T>} act
   * @returns {Promise<T>}
   */
  async inLine(id, act) {
    const before = this.#doing.get(id);
    const doing = (before ?? Promise.resolve()).then(act);
    const settled = doing.catch(() => undefined);
    this.#doing.set(id, settled);
    try {
      return await doing;
    } finally {
      if (this.#doing.get(id) === settled) {
        this.#doing.delete(id);
      }
    }
  }
}
