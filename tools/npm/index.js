/**
 * The rules and the search of Bluestone's games, for programs in JavaScript.
 *
 * It is the code of the arena's page. `index.d.ts` describes what a program may use.
 */

import { LevelPlayer } from "../../bot/arena/web/js/engine/level_player.js";
import { loadNetwork, requireRules } from "../../bot/arena/web/js/engine/load.js";

export { IllegalTurn } from "../../bot/arena/web/js/engine/refusal.js";

/** @import { Place } from "../../bot/arena/web/js/engine/load.js" */
/** @import { Setup } from "../../bot/arena/web/js/engine/mechanics.d.ts" */
/** @import { Position, Rules } from "../../bot/arena/web/js/engine/rules.js" */
/** @import { Found, Limits } from "../../bot/arena/web/js/engine/thinking.js" */

/** @typedef {{ choices: string[] } | { low: number, high: number }} Values */

/**
 * What this package has files for. `python -m tools.npm` fills it in.
 * @type {Record<string, { boards: string[], rules: string[], options: Record<string, Values> }>}
 */
const GAMES = {};

/** Where the files of games are in this package. */
const FOLDER = new URL("./engine/", import.meta.url).href;

/**
 * @param {Pick<Setup, "game" | "board"> & Partial<Setup>} setup
 * @param {{ folder?: string }} [where]
 */
export async function loadGame({ rules = null, options = {}, ...setup }, { folder = FOLDER } = {}) {
  refuseUnknown({ ...setup, rules, options });
  const place = { folder, query: "", fetch: fetchFile };
  return new Game(await requireRules({ ...setup, rules, options }, place), place);
}

/**
 * @param {Setup} setup
 * @throws {RangeError} this package has no files for it
 */
function refuseUnknown({ game, board, rules, options }) {
  const known = GAMES[game];
  if (!known) {
    throw new RangeError(
      `there is no game ${JSON.stringify(game)}; there is ${Object.keys(GAMES).join(", ")}`,
    );
  }
  if (!known.boards.includes(board)) {
    throw unknown(game, "board", board, known.boards);
  }
  if (rules !== null && !known.rules.includes(rules)) {
    throw unknown(game, "rule set", rules, known.rules);
  }
  for (const [name, value] of Object.entries(options)) {
    const values = known.options[name];
    if (!values) {
      throw unknown(game, "option", name, Object.keys(known.options));
    }
    if (!isOneOf(values, value)) {
      const takes = "choices" in values
        ? `one of ${values.choices.join(", ")}`
        : `a whole number from ${values.low} to ${values.high}`;
      throw new RangeError(`${name} of ${game} takes ${takes}, not ${JSON.stringify(value)}`);
    }
  }
}

/**
 * @param {string} game
 * @param {string} what
 * @param {string} asked
 * @param {string[]} those that exist
 */
function unknown(game, what, asked, those) {
  const known = those.length > 0 ? `it has ${those.join(", ")}` : "it has none";
  return new RangeError(`${game} has no ${what} ${JSON.stringify(asked)}; ${known}`);
}

/**
 * @param {Values} values
 * @param {string | number} value
 */
function isOneOf(values, value) {
  if ("choices" in values) {
    return values.choices.includes(String(value));
  }
  const isWhole = /^\d+$/.test(String(value));
  return isWhole && Number(value) >= values.low && Number(value) <= values.high;
}

/**
 * Programs outside of browsers read files, which their `fetch` may refuse.
 * @param {string} address
 */
async function fetchFile(address) {
  if (!address.startsWith("file:")) {
    return fetch(address);
  }
  const { readFile } = await import("node:fs/promises");
  return new Response(new Uint8Array(await readFile(new URL(address))));
}

class Game {
  #rules;
  #place;

  /**
   * @param {Rules} rules
   * @param {Place} place
   */
  constructor(rules, place) {
    this.#rules = rules;
    this.#place = place;
  }

  get setup() {
    return this.#rules.setup;
  }

  start() {
    return this.#rules.start();
  }

  /** @param {readonly string[]} turns */
  replay(turns) {
    return this.#rules.replay(turns);
  }

  /** @param {{ level?: number, megabytes?: number, seed?: bigint, random?: () => number }} [options] */
  async player({ level = 10, megabytes = 64, seed = 1n, random = Math.random } = {}) {
    const rules = this.#rules;
    const skill = rules.boardLayout.levels[level - 1];
    if (!skill) {
      throw new RangeError(`there is no level ${level}`);
    }
    const network = skill.judged === 0 ? null : await loadNetwork(rules, this.#place);
    return new Player(new LevelPlayer(rules, skill, network, { megabytes, seed, random }));
  }
}

class Player {
  #player;

  /** @param {LevelPlayer} player */
  constructor(player) {
    this.#player = player;
  }

  /**
   * @param {Position} position
   * @param {Limits} limits
   * @param {{ lines?: number, report?: (found: Found) => void, signal?: AbortSignal }} [options]
   */
  async choose(position, limits, { lines = 1, report = () => {}, signal } = {}) {
    const { port1, port2 } = new MessageChannel();
    /** Let timers and messages in. @returns {Promise<void>} */
    const pause = () =>
      new Promise((resolve) => {
        port1.onmessage = () => resolve();
        port2.postMessage(null);
      });
    const isStopped = () => signal?.aborted ?? false;
    try {
      const host = { pause, isStopped, report };
      const wanted = { lines, isFresh: false };
      const { turn, found } = await this.#player.choose(position, limits, wanted, host);
      return { turn, ...found };
    } finally {
      port1.close();
    }
  }
}
