/** Tabs of one browser for tests: arenas that share what is stored, and bots that a test answers for. */

import { LocalArena } from "../../../bot/arena/web/js/local/arena.js";
import { localBot, localPerson } from "../../../bot/arena/web/js/local/players.js";
import { SEAT } from "../../../bot/arena/web/js/shared/device_games.js";
import { countdown } from "./countdown.js";

/** @import { Store } from "../../../bot/arena/web/js/local/open_games.js" */
/** @import { Bot } from "../../../bot/arena/web/js/local/bot_turns.js" */
/** @import { StoredGame } from "../../../bot/arena/web/js/local/stored_game.js" */
/** @import { GameState, TimeControl } from "../../../bot/arena/web/js/shared/wire.d.ts" */

const SIDES = ["Black", "White"];

/** The browser's storage, and its locks. */
export class Browser {
  /** @type {Map<string, unknown>} */
  stored = new Map();
  isFull = false;
  /** The operation of the store that fails. @type {keyof Store | null} */
  broken = null;
  /** Milliseconds; tests let them pass. */
  time = 0;
  /** What is kept of turns that are not finished. @type {Map<string, {revision: number, used: number}>} */
  used = new Map();
  /** @type {Map<string, Promise<void>>} */
  #locks = new Map();

  /** @returns {Store} */
  get store() {
    return {
      all: () => this.#unlessBroken("all", () => structuredClone([...this.stored.values()])),
      read: (id) => this.#unlessBroken("read", () => structuredClone(this.stored.get(id))),
      write: (game, revision) => this.#unlessBroken("write", () => this.#write(game, revision)),
    };
  }

  /**
   * @template T
   * @param {keyof Store} name
   * @param {() => T} act
   */
  async #unlessBroken(name, act) {
    await Promise.resolve();
    if (this.broken === name) {
      throw new DOMException("out of order", "UnknownError");
    }
    return act();
  }

  /**
   * @param {StoredGame} game
   * @param {number} revision
   */
  #write(game, revision) {
    if (this.isFull) {
      throw new DOMException("no room", "QuotaExceededError");
    }
    const known = /** @type {StoredGame | undefined} */ (this.stored.get(game.id));
    if ((known?.revision ?? 0) !== revision) {
      return false;
    }
    this.stored.set(game.id, structuredClone(game));
    return true;
  }

  /**
   * @param {string} name
   * @param {() => Promise<void>} act
   */
  alone = (name, act) => {
    const acting = (this.#locks.get(name) ?? Promise.resolve()).then(act);
    this.#locks.set(name, acting.catch(() => undefined));
    return acting;
  };
}

/** An arena, what it shows and says, and the questions to its bots. */
export class Tab {
  /** @type {GameState[]} */
  shown = [];
  /** @type {string[]} */
  warnings = [];
  /** @type {{turns: readonly string[], answer: (turn: string | null) => void}[]} */
  questions = [];
  refusesHelp = false;
  #waiting = () => {};
  /** The alarms that are set, with their times. @type {Map<symbol, {at: number, ring: () => void}>} */
  #alarms = new Map();

  /**
   * @param {Browser} browser
   * @param {(turn: string) => void} beforeTurn called before the rules judge a turn
   */
  constructor(browser, beforeTurn = () => undefined) {
    this.browser = browser;
    this.arena = new LocalArena({
      store: browser.store,
      loadRules: ({ game }) => Promise.resolve(game === "countdown" ? countdown(beforeTurn) : null),
      makeBot: () => this.#bot(),
      people: () => ({ you: localPerson(), sideOf: (_, seat) => SIDES[seat - 1] ?? "" }),
      timing: {
        ticks: () => browser.time,
        alarm: (ms, ring) => this.#alarm(ms, ring),
        usedBefore: (id) => browser.used.get(id) ?? null,
        keepUsed: (id, kept) => browser.used.set(id, kept),
      },
      refusesHelp: () => this.refusesHelp,
      show: (game) => this.shown.push(game),
      warn: (sentence) => this.warnings.push(sentence),
      changed: () => {},
      alone: browser.alone,
      now: () => new Date("2026-01-02T03:04:05Z"),
      random: Math.random,
    });
  }

  /**
   * @param {number} ms
   * @param {() => void} ring
   */
  #alarm(ms, ring) {
    const key = Symbol("alarm");
    this.#alarms.set(key, { at: this.browser.time + ms, ring });
    return () => void this.#alarms.delete(key);
  }

  /** Let time pass, and ring what is due in this tab. @param {number} ms */
  pass(ms) {
    this.browser.time += ms;
    for (const [key, { at, ring }] of [...this.#alarms]) {
      if (at <= this.browser.time) {
        this.#alarms.delete(key);
        ring();
      }
    }
  }

  /** @returns {Bot} */
  #bot() {
    /** @type {(turn: string | null) => void} */
    let answer = () => {};
    return {
      choose: (turns) =>
        new Promise((resolve) => {
          answer = (turn) =>
            resolve(
              turn === null
                ? null
                : { turn, info: { value: 0.5, visits: 9, pv: [], source: "engine" } },
            );
          this.questions.push({ turns, answer });
          this.#waiting();
        }),
      stop: () => answer("1"), // what it has found so far
      dispose: () => answer(null),
    };
  }

  /** The next question to a bot. */
  async question() {
    while (this.questions.length === 0) {
      await new Promise((resolve) => this.#waiting = () => resolve(null));
    }
    return /** @type {Tab["questions"][number]} */ (this.questions.shift());
  }

  /** Answer for the bot, and wait until its turn is shown. @param {string} turn */
  async bot(turn) {
    const { turns, answer } = await this.question();
    answer(turn);
    return await this.until((game) => game.turns.length > turns.length);
  }

  /** @param {(game: GameState) => boolean} holds for a state that is shown */
  async until(holds) {
    for (;;) {
      const game = this.shown.at(-1);
      if (game && holds(game)) {
        return game;
      }
      await new Promise((resolve) => setTimeout(resolve));
    }
  }

  /**
   * Start a game of two people, and return its id.
   * @param {{names?: [string, string], clock?: TimeControl}} [chosen]
   */
  async startTwo({ names: [one, two] = ["", ""], clock = { kind: "none" } } = {}) {
    const setup = { game: "countdown", board: "five", rules: "usual", options: {}, clock };
    const { challenge } = await this.arena.answer("challenge.create", {
      setup,
      seats: [SEAT + one, SEAT + two],
    });
    const id = String(challenge.game_id);
    await this.watch(id);
    return id;
  }

  /**
   * Show the page of a game, or leave it.
   * @param {string} id
   * @param {boolean} [follow]
   */
  async watch(id, follow = true) {
    return (await this.arena.answer("game.watch", { game_id: id, follow })).game;
  }

  /** Start a game, and return its id. @param {"first" | "second"} order of the person */
  async start(order = "first") {
    const [you, bot] = [localPerson().name, localBot(3).name];
    const setup = { game: "countdown", board: "five", rules: "usual", options: {} };
    const { challenge } = await this.arena.answer("challenge.create", {
      setup: { ...setup, clock: { kind: "none" } },
      seats: order === "first" ? [you, bot] : [bot, you],
    });
    const id = String(challenge.game_id);
    await this.arena.answer("game.watch", { game_id: id });
    return id;
  }

  /**
   * @param {string} id
   * @param {number} ply
   * @param {string} turn
   */
  async play(id, ply, turn) {
    return await this.arena.answer("game.turn", { game_id: id, ply, turn });
  }

  /**
   * @param {string} id
   * @param {"resign" | "abort" | "ask_takeback" | "offer_draw" | "offer_abort"} action
   */
  async act(id, action) {
    return (await this.arena.answer("game.action", { game_id: id, action })).game;
  }

  /** @param {string} id */
  async state(id) {
    return (await this.arena.answer("game.state", { game_id: id })).game;
  }
}
