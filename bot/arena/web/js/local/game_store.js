/**
 * The games that this browser keeps, in IndexedDB.
 *
 * Several tabs share them. A change is one transaction that compares the revision of the stored game
 * with the one that the change was made from, so that no tab overwrites a turn of another one.
 */

import { BASE } from "../shared/site.js";
import { readGame } from "./stored_game.js";

/** @import { StoredGame } from "./stored_game.js" */

const GAMES = "games";
const VERSION = 1;
/** The games that are kept; the oldest finished ones are dropped, and only then others. */
export const MOST_GAMES = 200;
/** Longer than all games. */
const AGES_MS = 1e14;
/** The games that are dropped at once if the browser has no more room. */
const DROPPED_FOR_ROOM = 20;

export class GameStore {
  /** @type {Promise<IDBDatabase> | null} */
  #opening = null;

  /** All that is stored, whatever it is. @returns {Promise<unknown[]>} */
  async all() {
    return await this.#act("readonly", (games) => answered(games.getAll()));
  }

  /**
   * What is stored under an id; undefined if nothing is.
   * @param {string} id
   * @returns {Promise<unknown>}
   */
  async read(id) {
    return await this.#act("readonly", (games) => answered(games.get(id)));
  }

  /**
   * Write a game to the disk, unless another tab has changed it; return whether it was written.
   * @param {StoredGame} game
   * @param {number} revision of the stored game that it replaces; 0 for a new one
   */
  async write(game, revision) {
    try {
      return await this.#write(game, revision);
    } catch (error) {
      if (!(error instanceof DOMException) || error.name !== "QuotaExceededError") {
        throw error;
      }
      await this.#act("readwrite", (games) => dropOldest(games, DROPPED_FOR_ROOM, game.id));
      return await this.#write(game, revision);
    }
  }

  /**
   * @param {StoredGame} game
   * @param {number} revision
   */
  async #write(game, revision) {
    return await this.#act("readwrite", async (games) => {
      const known = readGame(await answered(games.get(game.id)));
      if ((known?.revision ?? 0) !== revision) {
        return false;
      }
      await answered(games.put(game));
      const surplus = await answered(games.count()) - MOST_GAMES;
      if (surplus > 0) {
        await dropOldest(games, surplus, game.id);
      }
      return true;
    });
  }

  /**
   * Do something in one transaction, and wait until its changes are on the disk.
   * @template T
   * @param {IDBTransactionMode} mode
   * @param {(games: IDBObjectStore) => Promise<T>} act
   * @returns {Promise<T>}
   */
  async #act(mode, act) {
    this.#opening ??= open();
    this.#opening.catch(() => this.#opening = null);
    const database = await this.#opening;
    database.onclose = database.onversionchange = () => {
      database.close();
      this.#opening = null;
    };
    const transaction = database.transaction(GAMES, mode, { durability: "strict" });
    /** @type {Promise<void>} */
    const written = new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error ?? new Error("aborted"));
    });
    written.catch(() => undefined); // `act` fails first
    const answer = await act(transaction.objectStore(GAMES));
    await written;
    return answer;
  }
}

/** @returns {Promise<IDBDatabase>} */
function open() {
  // Several arenas of one site share the storage.
  const opening = indexedDB.open(`bluestone${BASE}.games`, VERSION);
  opening.onupgradeneeded = () => opening.result.createObjectStore(GAMES, { keyPath: "id" });
  return answered(opening);
}

/**
 * Drop games: first what is no game, then those that are finished or of a later version of the page,
 * then others; of each the oldest first.
 * @param {IDBObjectStore} games
 * @param {number} number
 * @param {string} kept the id of a game that stays
 */
async function dropOldest(games, number, kept) {
  /** @type {{id: string}[]} */
  const all = await answered(games.getAll());
  const dropped = all
    .filter(({ id }) => id !== kept)
    .sort((one, two) => worthOf(one) - worthOf(two))
    .slice(0, number);
  await Promise.all(dropped.map(({ id }) => answered(games.delete(id))));
}

/** Grows with the worth to keep what is stored. @param {unknown} stored */
function worthOf(stored) {
  const { changed_at: changed } = /** @type {Partial<StoredGame>} */ (stored);
  const at = Date.parse(changed ?? "");
  return Number.isNaN(at) ? -Infinity : readGame(stored)?.result === null ? at + AGES_MS : at;
}

/**
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
function answered(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("the browser's storage failed"));
  });
}
