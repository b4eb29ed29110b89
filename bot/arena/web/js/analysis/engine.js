/** The arena's engine: evaluates the shown position while it is switched on. */

import { Refused } from "../shared/protocol.js";
import { Signal } from "../shared/signal.js";
import { load, save } from "../shared/storage.js";

/** @import { Session } from "../shared/session.js" */
/** @import { AnalysisState, StartAnalysis } from "../shared/wire.d.ts" */
/** @import { Played } from "../game/tree_address.js" */

/** @typedef {NonNullable<StartAnalysis["effort"]>} Effort */

/** A held arrow key must not ask for each position on its way. */
const DELAY_MS = 300;
/** The server's queue is in memory: a request without news may be lost. */
const SILENCE_MS = 15_000;
const AGAIN_MS = 3_000;
const KEPT = 200;
/** @type {Effort[]} */
export const EFFORTS = ["quick", "normal", "deep"];
let requests = 0;

export class EngineClient {
  /** @type {Signal<void>} */
  changed = new Signal();
  /** Why there is no analysis; "" if there is no reason. */
  problem = "";
  /** @type {AnalysisState | null} */
  state = null;
  /** @type {string[] | null} */
  #turns = null;
  #request = "";
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** Complete analyses by position and effort. @type {Map<string, AnalysisState>} */
  #done = new Map();
  /** @type {(() => void)[]} */
  #endings;

  /**
   * @param {Session} session
   * @param {() => Played | null} played
   */
  constructor(session, played) {
    this.session = session;
    this.played = played;
    /** @type {boolean} */
    this.on = load("engine", true);
    /** @type {Effort} */
    this.effort = EFFORTS.find((each) => each === load("effort", "normal")) ?? "normal";
    this.#endings = [
      session.connection.analysis.on((news) => this.#hear(news)),
      session.connection.welcomed.on(() => this.#soon(DELAY_MS)),
    ];
  }

  dispose() {
    this.#endings.forEach((end) => end());
    this.#cancel();
  }

  /** @param {boolean} on */
  turn(on) {
    this.on = on;
    save("engine", on);
    this.#restart();
  }

  /** @param {Effort} effort */
  choose(effort) {
    this.effort = effort;
    save("effort", effort);
    this.#restart();
  }

  /**
   * Evaluate the position after some turns; null: none.
   * @param {string[] | null} turns
   */
  look(turns) {
    if (turns?.join("_") !== this.#turns?.join("_")) {
      this.#turns = turns;
      this.#restart();
    }
  }

  #restart() {
    this.state = (this.on && this.#done.get(this.#key)) || null;
    this.problem = "";
    if (!this.on || !this.#turns || this.state) {
      this.#cancel();
    } else {
      this.#request = "";
      this.#soon(DELAY_MS);
    }
    this.changed.emit();
  }

  get #key() {
    return `${this.effort} ${this.#turns?.join("_")}`;
  }

  /** @param {number} ms */
  #soon(ms) {
    clearTimeout(this.#timer);
    if (this.on && this.#turns && !this.#done.has(this.#key)) {
      this.#timer = setTimeout(() => this.#start(), ms);
    }
  }

  #cancel() {
    clearTimeout(this.#timer);
    if (this.#request !== "" && this.session.connection.online) {
      const request = this.#request;
      this.session.connection.request("analysis.cancel", { request }).catch(() => undefined);
    }
    this.#request = "";
  }

  async #start() {
    const turns = this.#turns;
    const played = this.played();
    if (!turns || !played) {
      return;
    }
    const request = `p${Date.now().toString(36)}-${++requests}`;
    this.#request = request;
    this.#soon(SILENCE_MS);
    try {
      const asked = { request, setup: played, turns, effort: this.effort };
      const { analysis } = await this.session.connection.request("analysis.start", asked);
      this.problem = "";
      this.#hear(analysis);
    } catch (error) {
      if (this.#request === request) {
        this.#refused(error);
      }
    }
  }

  /** @param {unknown} error */
  #refused(error) {
    this.#request = "";
    clearTimeout(this.#timer);
    this.problem = error instanceof Error ? error.message : String(error);
    if (
      error instanceof Refused && ["rate_limited", "no_analyst", "too_many"].includes(error.code)
    ) {
      this.#soon(AGAIN_MS);
    }
    this.changed.emit();
  }

  /** @param {AnalysisState} news */
  #hear(news) {
    const isOld = this.state?.request === news.request && this.state.revision > news.revision;
    if (news.request !== this.#request || isOld) {
      return;
    }
    this.state = news;
    this.#soon(SILENCE_MS);
    if (news.state === "done" || news.state === "failed" || news.state === "cancelled") {
      clearTimeout(this.#timer);
      this.problem = news.message ?? "";
    }
    if (news.state === "done") {
      this.#keep(news);
    }
    this.changed.emit();
  }

  /** @param {AnalysisState} news */
  #keep(news) {
    const oldest = this.#done.size >= KEPT && this.#done.keys().next().value;
    if (typeof oldest === "string") {
      this.#done.delete(oldest);
    }
    this.#done.set(this.#key, news);
  }
}
