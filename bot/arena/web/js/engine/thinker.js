/**
 * The engine for a page: it thinks in a worker, so that the page stays smooth.
 *
 * To play against a level, and to analyse:
 *
 *     const bot = new Thinker(setup, { level: 3, seed: anyNumber });
 *     const answer = await bot.search(turns, { milliseconds: 5000 });
 *     if (answer) play(answer.turn); // null: `stop`, `dispose` or another search came first
 *     bot.dispose();
 *
 *     const engine = new Thinker(setup);
 *     engine.search(turns, {}, { lines: 5, report: (found) => show(found.candidates) });
 *     engine.stop(); // the search above ends with what it has found
 *
 * Levels 1 to 9 end by themselves after their number of playouts, level 10 only by the limits. A
 * search fails with `EngineMissing` where the page has no engine for the game, and with
 * `EngineFailed` if the worker has died; the next search starts another one.
 */

import { placeFor } from "./load.js";

/** @import { Place } from "./load.js" */
/** @import { Setup } from "./mechanics.d.ts" */
/** @import { Answer, Done, Open, Search } from "./messages.d.ts" */
/** @import { Found, Limits } from "./thinking.js" */

const FULL_STRENGTH = 10;
const MEGABYTES = 64;
/** A worker reports several times a second; this long a silence is a worker that has died. */
const SILENCE_MS = 60_000;

/** There is no engine here for this game: this browser cannot run it, or the site has no files. */
export class EngineMissing extends Error {}

/** The worker has died, or its search has failed. */
export class EngineFailed extends Error {}

/**
 * @typedef {object} ThinkerOptions
 * @property {number} [level] from 1 to 10
 * @property {number} [megabytes] of memory for the search
 * @property {number} [seed] of the search
 * @property {Place | null} [place] of the engine's files
 * @property {() => Worker} [makeWorker]
 */

/**
 * @typedef {object} Asked
 * @property {number} id
 * @property {(answer: Done | null) => void} resolve
 * @property {(error: Error) => void} reject
 * @property {(found: Found) => void} report
 */

export class Thinker {
  #options;
  /** @type {Worker | null} */
  #worker = null;
  /** What is being searched. @type {Asked | null} */
  #asked = null;
  /** Settles when the worker is free. @type {Promise<unknown>} */
  #busy = Promise.resolve();
  /** The search that was asked for last. */
  #latest = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #silence;

  /**
   * @param {Setup} setup complete, as the server spells it
   * @param {ThinkerOptions} [options]
   */
  constructor(setup, options = {}) {
    this.setup = setup;
    this.#options = {
      level: FULL_STRENGTH,
      megabytes: MEGABYTES,
      seed: 1,
      place: options.place === undefined ? placeFor(setup.game) : options.place,
      makeWorker,
      ...options,
    };
  }

  /**
   * Search the position after some turns, which must not be over. An earlier search ends.
   * @param {readonly string[]} turns
   * @param {Limits} limits
   * @param {object} [how]
   * @param {number} [how.lines] how many turns to find
   * @param {boolean} [how.isFresh] whether to forget earlier searches: values are then comparable
   * @param {(found: Found) => void} [how.report] called a few times a second
   * @returns {Promise<Done | null>} null if it was stopped before it began, or the engine disposed
   * @throws {EngineMissing | EngineFailed}
   */
  async search(turns, limits, { lines = 1, isFresh = false, report = () => undefined } = {}) {
    this.stop();
    const id = ++this.#latest;
    await this.#busy;
    if (id !== this.#latest) {
      return null;
    }
    /** @type {Promise<Done | null>} */
    const answer = new Promise((resolve, reject) => {
      this.#asked = { id, resolve, reject, report };
    });
    this.#busy = answer.catch(() => undefined);
    this.#send({ kind: "search", id, turns, limits, lines, isFresh });
    return answer;
  }

  /** End the search: it answers with what it has found. */
  stop() {
    this.#latest += 1;
    this.#asked && this.#worker?.postMessage({ kind: "stop" });
  }

  /** End the worker, and give its memory back. */
  dispose() {
    this.#latest += 1;
    this.#end();
    this.#settle((asked) => asked.resolve(null));
  }

  /** @param {Search} search */
  #send(search) {
    const { place } = this.#options;
    if (place === null) {
      this.#settle((asked) => asked.reject(new EngineMissing("this site has no engine")));
      return;
    }
    this.#worker ??= this.#start(place);
    this.#worker.postMessage(search);
    this.#watch();
  }

  /** @param {Place} place */
  #start(place) {
    const worker = this.#options.makeWorker();
    worker.onmessage = ({ data }) => this.#hear(data);
    worker.onerror = (event) => {
      event.preventDefault();
      this.#fail(event.message || "the worker could not start");
    };
    worker.onmessageerror = () => this.#fail("a message of the worker was lost");
    const { level, megabytes, seed } = this.#options;
    /** @type {Open} */
    const open = {
      ...{ kind: "open", setup: this.setup, place, level, megabytes },
      seed: BigInt(seed),
    };
    worker.postMessage(open);
    return worker;
  }

  /** @param {Answer} answer */
  #hear(answer) {
    if (answer.id !== this.#asked?.id) {
      return;
    }
    if (answer.kind === "report") {
      this.#watch();
      this.#asked.report(answer.found);
    } else if (answer.kind === "done") {
      this.#settle((asked) => asked.resolve(answer));
    } else {
      const kind = answer.isMissing ? EngineMissing : EngineFailed;
      this.#end();
      this.#settle((asked) => asked.reject(new kind(answer.message)));
    }
  }

  #watch() {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#fail("the worker is silent"), SILENCE_MS);
  }

  /** @param {string} why */
  #fail(why) {
    this.#end();
    this.#settle((asked) => asked.reject(new EngineFailed(why)));
  }

  #end() {
    this.#worker?.terminate();
    this.#worker = null;
  }

  /** @param {(asked: Asked) => void} answer */
  #settle(answer) {
    clearTimeout(this.#silence);
    const asked = this.#asked;
    this.#asked = null;
    asked && answer(asked);
  }
}

function makeWorker() {
  return new Worker(new URL("./worker.js", import.meta.url), { type: "module", name: "engine" });
}
