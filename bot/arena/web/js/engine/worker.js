/**
 * The engine in a worker of its own: it searches one position at a time, and hears `stop` meanwhile.
 *
 * Memory of a module only grows, so a worker serves one setup and one level, and `Thinker` ends it.
 */

import { LevelPlayer } from "./level_player.js";
import { loadNetwork, loadRules } from "./load.js";

/** @import { Answer, Open, Request, Search } from "./messages.d.ts" */
/** @import { Rules } from "./rules.js" */

/** @typedef {{ rules: Rules, player: LevelPlayer }} Opened */

const host = /** @type {{ postMessage(answer: Answer): void }} */ (/** @type {unknown} */ (self));
const channel = new MessageChannel();
/** @type {Promise<Opened | null> | null} */
let opened = null;
/** The search that is wanted; 0: none. */
let wanted = 0;

/** Let messages in, without the delay of a timer. @returns {Promise<void>} */
function pause() {
  return new Promise((resolve) => {
    channel.port1.onmessage = () => resolve();
    channel.port2.postMessage(null);
  });
}

/**
 * @param {Open} open
 * @returns {Promise<Opened | null>} null if there is no engine for the setup
 */
async function prepare({ setup, place, level, megabytes, seed }) {
  const rules = await loadRules(setup, place);
  const skill = rules?.boardLayout.levels[level - 1];
  if (!rules || !skill) {
    return null;
  }
  const network = skill.judged === 0 ? null : await loadNetwork(rules, place);
  const random = () => Math.random();
  return { rules, player: new LevelPlayer(rules, skill, network, { megabytes, seed, random }) };
}

/** @param {Search} search */
async function answer({ id, turns, limits, lines, isFresh }) {
  const engine = await opened;
  if (!engine) {
    throw new Missing();
  }
  const position = engine.rules.replay(turns);
  if (position.over) {
    throw new Error("the game is over");
  }
  const chosen = await engine.player.choose(position, limits, { lines, isFresh }, {
    pause,
    isStopped: () => wanted !== id,
    report: (found) => host.postMessage({ kind: "report", id, found }),
  });
  host.postMessage({ kind: "done", id, ...chosen });
}

class Missing extends Error {
  constructor() {
    super("there is no engine for this game here");
  }
}

/** @param {MessageEvent<Request>} event */
self.onmessage = ({ data }) => {
  if (data.kind === "open") {
    opened = prepare(data);
    opened.catch(() => undefined); // the first search says it
  } else if (data.kind === "stop") {
    wanted = 0;
  } else {
    wanted = data.id;
    answer(data).catch((error) => {
      const message = error instanceof Error ? error.message : String(error);
      const isMissing = error instanceof Missing;
      host.postMessage({ kind: "failed", id: data.id, message, isMissing });
    });
  }
};
