/** Who judges a turn that a person tries: the engine of this device, or the server's. */

import { Thinker } from "../engine/thinker.js";
import { chanceOf } from "../shared/chances.js";
import { helpRefusal } from "../shared/help_rule.js";
import { settledSetup } from "./settled_setup.js";

/** @import { Session } from "../shared/session.js" */
/** @import { AnalysisState } from "../shared/wire.d.ts" */
/** @import { Played } from "../game/tree_address.js" */
/** @import { Place } from "./source.d.ts" */

/**
 * The chance of the player to move after some turns; null if no engine says.
 * @typedef {(turns: string[]) => Promise<number | null>} Judge
 */

const JUDGED_WITHIN_MS = 60_000;
/** As long as the searches of a game's analysis. */
const SEARCH_MS = 1_000;

/**
 * @param {Place} place of the engine
 * @param {Session} session
 * @param {Played} played
 */
export function judgeAt(place, session, played) {
  return place === "device" ? deviceJudge(session, played) : serverJudge(session, played);
}

/**
 * @param {Session} session
 * @param {Played} played
 * @returns {Judge}
 */
function deviceJudge(session, played) {
  return async (turns) => {
    const setup = await settledSetup(session.catalogue, played);
    if (helpRefusal(session, setup)) {
      return null;
    }
    const thinker = new Thinker(setup);
    try {
      const done = await thinker.search(turns, { milliseconds: SEARCH_MS });
      return chanceOf(done?.found.candidates[0]);
    } finally {
      thinker.dispose();
    }
  };
}

/**
 * @param {Session} session
 * @param {Played} setup
 * @returns {Judge}
 */
function serverJudge({ connection }, setup) {
  return async (turns) => {
    const request = `j${Date.now().toString(36)}`;
    /** @type {() => void} */
    let stop = () => undefined;
    /** @type {Promise<AnalysisState | null>} */
    const ended = new Promise((resolve) => {
      stop = connection.analysis.on((news) => {
        const isOver = news.state !== "queued" && news.state !== "running";
        news.request === request && isOver && resolve(news);
      });
      setTimeout(() => resolve(null), JUDGED_WITHIN_MS);
    });
    try {
      const asked = { request, setup, turns, effort: /** @type {const} */ ("quick") };
      const { analysis } = await connection.request("analysis.start", asked);
      const news = analysis.state === "done" ? analysis : await ended;
      return chanceOf(news);
    } finally {
      stop();
    }
  };
}
