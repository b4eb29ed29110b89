/** The arena's engine: it searches a position when it is this visitor's turn. */

import { Refused } from "../shared/protocol.js";

/** @import { Session } from "../shared/session.js" */
/** @import { AnalysisState } from "../shared/wire.d.ts" */
/** @import { Played } from "../game/tree_address.js" */
/** @import { Effort, News, Source } from "./source.d.ts" */

/** A held arrow key must not ask for each position on its way. */
const DELAY_MS = 300;
/** The server's queue is in memory: a request without news may be lost. */
const SILENCE_MS = 15_000;
const AGAIN_MS = 3_000;
const AGAIN = ["rate_limited", "no_analyst", "too_many"];
let requests = 0;

/** @implements {Source} */
export class ServerEngine {
  /** What is searched. @type {{ setup: Played, turns: string[], effort: Effort } | null} */
  #asked = null;
  #request = "";
  /** The newest state of the request. @type {AnalysisState | null} */
  #state = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** @type {(() => void)[]} */
  #endings;

  /**
   * @param {Session} session
   * @param {(news: News) => void} tell
   */
  constructor(session, tell) {
    this.session = session;
    this.tell = tell;
    this.#endings = [
      session.connection.analysis.on((news) => this.#hear(news)),
      session.connection.welcomed.on(() => this.#soon(DELAY_MS)),
    ];
  }

  dispose() {
    this.#endings.forEach((end) => end());
    this.cancel();
  }

  /**
   * @param {Played} setup
   * @param {string[]} turns
   * @param {Effort} effort
   */
  start(setup, turns, effort) {
    this.#asked = { setup, turns, effort };
    this.#request = "";
    this.#state = null;
    this.#soon(DELAY_MS);
  }

  cancel() {
    clearTimeout(this.#timer);
    if (this.#request !== "" && this.session.connection.online) {
      const request = this.#request;
      this.session.connection.request("analysis.cancel", { request }).catch(() => undefined);
    }
    this.#asked = null;
    this.#request = "";
  }

  /** @param {number} ms */
  #soon(ms) {
    clearTimeout(this.#timer);
    if (this.#asked) {
      this.#timer = setTimeout(() => this.#send(), ms);
    }
  }

  async #send() {
    if (!this.#asked) {
      return;
    }
    const request = `p${Date.now().toString(36)}-${++requests}`;
    this.#request = request;
    this.#soon(SILENCE_MS);
    try {
      const asked = { request, ...this.#asked };
      const { analysis } = await this.session.connection.request("analysis.start", asked);
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
    if (error instanceof Refused && AGAIN.includes(error.code)) {
      this.#soon(AGAIN_MS);
    }
    this.tell({ problem: error instanceof Error ? error.message : String(error) });
  }

  /** @param {AnalysisState} news */
  #hear(news) {
    const isOld = this.#state?.request === news.request && this.#state.revision > news.revision;
    if (news.request !== this.#request || isOld) {
      return;
    }
    this.#state = news;
    const isOver = news.state === "done" || news.state === "failed" || news.state === "cancelled";
    if (news.state === "done") {
      this.#asked = null;
    }
    if (isOver) {
      clearTimeout(this.#timer);
    } else {
      this.#soon(SILENCE_MS);
    }
    this.tell({ state: news, problem: isOver ? news.message ?? "" : "" });
  }
}
