/** The games on this device: which requests are theirs, and the arena that answers them. */

import { isLocal } from "../shared/device_games.js";
import { notify } from "../shared/dialogs.js";
import { helpRefusal } from "../shared/help_rule.js";
import { BASE } from "../shared/site.js";
import { load, save } from "../shared/storage.js";
import { sideTitle } from "../shared/sentences.js";
import { levelOf, localBots, localPerson, namesIn } from "./players.js";

/** @import { ClientEvents } from "../shared/wire.d.ts" */
/** @import { Session } from "../shared/session.js" */
/** @import { LocalArena } from "./arena.js" */
/** @import { People } from "./players.js" */
/** @import { StoredGame } from "./stored_game.js" */

/** Whether this browser has games, so that others need not open the storage. */
const HAS_GAMES = "has_local_games";
/** A module of WebAssembly with one instruction on vectors. */
const VECTORS = [
  ...[0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123],
  ...[3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11],
];

/** The games that this page can play without the server. */
function playable() {
  const isAble = typeof WebAssembly === "object" &&
    WebAssembly.validate(new Uint8Array(VECTORS));
  return isAble ? document.documentElement.dataset["engine"]?.split(" ") ?? [] : [];
}

export class DeviceGames {
  /** By id. @type {Map<string, StoredGame>} */
  games = new Map();
  /** @type {Promise<LocalArena> | null} */
  #arena = null;
  /** @type {Session | null} */
  #session = null;
  #channel = new BroadcastChannel(`bluestone${BASE}.games`);
  /** The person that the games were shown with. */
  #person = "";

  /** @param {Session} session */
  begin(session) {
    if (playable().length === 0) {
      return;
    }
    this.#session = session;
    session.connection.answerHere = (event, fields) =>
      concernsDevice(event, fields) ? this.#answer(event, fields) : null;
    session.lobbyChanged.on(() => this.#notePerson());
    this.#channel.onmessage = ({ data }) => this.#hear(String(data));
    load(HAS_GAMES, false) && this.#list();
    const keeping = session.connection.welcomed.on(() => {
      keeping();
      this.#keepForOffline();
    });
  }

  /** Who plays here. */
  get person() {
    return this.#session?.you ?? localPerson();
  }

  /** Who plays here, for games. @returns {People} */
  get people() {
    const kinds = (/** @type {string} */ game) => this.#session?.catalogue.kinds(game) ?? 1;
    return { you: this.person, sideOf: (game, seat) => sideTitle(seat, kinds(game)) };
  }

  /**
   * @template {keyof ClientEvents} Event
   * @param {Event} event
   * @param {Omit<ClientEvents[Event]["send"], "v">} fields
   */
  async #answer(event, fields) {
    const session = this.#session;
    if (session && session.you === null) {
      session.you = localPerson(); // until the server says who it is
    }
    return await (await this.#opened(session)).answer(event, fields);
  }

  /** @param {Session | null} session */
  #opened(session) {
    this.#arena ??= this.#made(session);
    this.#arena.catch(() => this.#arena = null);
    return this.#arena;
  }

  /** @param {Session | null} session */
  async #made(session) {
    const { makeArena } = await import("./browser.js");
    return makeArena({
      people: () => this.people,
      show: (game) => session?.connection.game.emit(game),
      refusesHelp: (setup) =>
        session !== null && helpRefusal(session, setup, null, (id) => !isLocal(id)) !== "",
      warn: (sentence) => notify(sentence, "error"),
      changed: (game) => {
        save(HAS_GAMES, true);
        this.#channel.postMessage(game.id);
        this.games.set(game.id, game);
        session?.lobbyChanged.emit();
      },
    });
  }

  async #keepForOffline() {
    try {
      const { keepForOffline } = await import("./offline.js");
      await keepForOffline();
    } catch {
      // The next visit tries again.
    }
  }

  /** Load the list of games. */
  async #list() {
    try {
      const games = await (await this.#opened(this.#session)).games();
      this.games = new Map(games.map((each) => [each.id, each]));
      this.#session?.lobbyChanged.emit();
    } catch {
      // The page works without them; a game that is opened says why it cannot be.
    }
  }

  /** Another tab has changed a game. @param {string} id */
  async #hear(id) {
    await this.#list();
    const arena = await this.#arena;
    await arena?.reload(id).catch(() => undefined); // it says so itself, or the game is gone
  }

  /** The games are those of whoever is here. */
  async #notePerson() {
    const person = JSON.stringify(this.person);
    if (person !== this.#person) {
      this.#person = person;
      await (await this.#arena)?.reloadAll();
    }
  }

  /**
   * The server has a finished game among the person's games.
   * @param {string} id
   * @param {string} added its id there
   */
  async noteAdded(id, added) {
    await (await this.#opened(this.#session)).noteAdded(id, added);
  }

  /** The bots of a game. @param {string} game */
  bots(game) {
    return this.plays(game) ? localBots() : [];
  }

  /** Whether this page has the rules of a game. @param {string} game */
  plays(game) {
    return playable().includes(game);
  }
}

/**
 * Whether a request is about a game on this device.
 * @param {keyof ClientEvents} event
 * @param {object} fields
 */
function concernsDevice(event, fields) {
  const { game_id: id, hint, seats } = /** @type {Record<string, unknown>} */ (fields);
  return isLocal(id) || isLocal(hint) ||
    (event === "challenge.create" && Array.isArray(seats) &&
      (namesIn(seats) !== null || seats.some((name) => levelOf(name) > 0)));
}
