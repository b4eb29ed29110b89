/** The engine in the page: it searches the shown position on this device, while one looks at it. */

import { placeFor } from "../engine/load.js";
import { EngineMissing, Thinker } from "../engine/thinker.js";
import { helpRefusal } from "../shared/help_rule.js";
import { t } from "../shared/messages.js";
import { settledSetup } from "./settled_setup.js";

/** @import { Setup } from "../engine/mechanics.d.ts" */
/** @import { Found } from "../engine/thinking.js" */
/** @import { Session } from "../shared/session.js" */
/** @import { AnalysisState } from "../shared/wire.d.ts" */
/** @import { Played } from "../game/tree_address.js" */
/** @import { Effort, News, Source } from "./source.d.ts" */

const LINES = 8;
/** A held arrow key must not begin a search of each position on its way. */
const DELAY_MS = 50;
/** How long a search runs; null: while the page is visible. @type {Record<Effort, number | null>} */
const EFFORT_MS = { quick: 4_000, normal: 30_000, deep: null };
/** Of both trees. With the page, what copies them and the network, a phone then needs 150 MB at most. */
const MEGABYTES = 72;

/** @implements {Source} */
export class DeviceEngine {
  /** What is searched. @type {{ played: Played, turns: string[], effort: Effort } | null} */
  #asked = null;
  /** @type {Thinker | null} */
  #thinker = null;
  /** The setup of the thinker. */
  #setup = "";
  #revision = 0;
  /** @type {() => void} */
  #stopWatching;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /**
   * @param {Session} session
   * @param {(news: News) => void} tell
   */
  constructor(session, tell) {
    this.session = session;
    this.tell = tell;
    document.addEventListener("visibilitychange", this.#look);
    this.#stopWatching = session.games.changed.on(() => this.#checkHelp());
  }

  dispose() {
    document.removeEventListener("visibilitychange", this.#look);
    this.#stopWatching();
    this.cancel();
    this.#thinker?.dispose();
    this.#thinker = null;
  }

  /**
   * Whether the page has the engine of this game.
   * @param {Played} played
   */
  knows({ game }) {
    return placeFor(game) !== null;
  }

  /**
   * @param {Played} played
   * @param {string[]} turns
   * @param {Effort} effort
   */
  start(played, turns, effort) {
    this.cancel();
    this.#asked = { played, turns, effort };
    this.#look();
  }

  cancel() {
    clearTimeout(this.#timer);
    this.#asked = null;
    this.#thinker?.stop();
  }

  /** Search while the page is visible. */
  #look = () => {
    clearTimeout(this.#timer);
    if (document.visibilityState === "hidden") {
      this.#thinker?.stop();
    } else if (this.#asked) {
      this.#timer = setTimeout(() => this.#search(), DELAY_MS);
    }
  };

  async #search() {
    const asked = this.#asked;
    if (!asked) {
      return;
    }
    try {
      const setup = await settledSetup(this.session.catalogue, asked.played);
      if (this.#asked !== asked || this.#isRefused(setup)) {
        return;
      }
      const milliseconds = EFFORT_MS[asked.effort];
      const report = (/** @type {Found} */ found) => this.#report(asked, found, false);
      const how = { lines: LINES, report };
      const done = await this.#thinkerFor(setup).search(asked.turns, { milliseconds }, how);
      done && this.#report(asked, done.found, document.visibilityState === "visible");
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const isMissing = error instanceof EngineMissing;
      this.#asked === asked &&
        this.tell({ problem: t("analysis.device_failed", { why }), isMissing });
    }
  }

  /** A game of the person may have begun: its rules hold from then on. */
  #checkHelp() {
    if (this.#asked && this.#thinker && this.#isRefused(this.#thinker.setup)) {
      this.cancel();
    }
  }

  /** @param {Setup} setup */
  #isRefused(setup) {
    const problem = helpRefusal(this.session, setup);
    problem && this.tell({ problem });
    return problem !== "";
  }

  /** @param {Setup} setup */
  #thinkerFor(setup) {
    const text = JSON.stringify(setup);
    if (this.#setup !== text) {
      this.#thinker?.dispose();
      this.#thinker = null;
      this.#setup = text;
    }
    return this.#thinker ??= new Thinker(setup, { megabytes: MEGABYTES });
  }

  /**
   * @param {object} asked
   * @param {Found} found
   * @param {boolean} isDone
   */
  #report(asked, { candidates, visits }, isDone) {
    if (this.#asked !== asked || candidates.length === 0) {
      return;
    }
    /** @type {AnalysisState} */
    const state = {
      v: 1,
      request: "device",
      revision: ++this.#revision,
      state: isDone ? "done" : "running",
      place: null,
      value: candidates[0]?.value ?? null,
      visits,
      lines: candidates.map(({ turn, value, visits: seen, line }) => ({
        ...{ turn, value, visits: seen, pv: line },
      })),
      engine: t("analysis.device_engine"),
      shortened: false,
      message: null,
    };
    this.tell({ state });
  }
}
