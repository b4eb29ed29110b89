/** The arena of this page with the browser's storage, locks and workers. */

import { loadRules } from "../engine/load.js";
import { Thinker } from "../engine/thinker.js";
import { BASE } from "../shared/site.js";
import { LocalArena } from "./arena.js";
import { GameStore } from "./game_store.js";

/** @import { Setup } from "../engine/mechanics.d.ts" */
/** @import { Bot } from "./bot_turns.js" */
/** @import { Surroundings } from "./arena.js" */

const SEEDS = 2 ** 32;
const FULL_STRENGTH = 10;
/** Of a turn of the highest level, as the server's bots take in games without a clock. */
const TURN_MS = 5_000;
/** The other levels end by themselves; a device that is too slow for one ends it then. */
const SLOWEST_TURN_MS = 30_000;

/** @param {Pick<Surroundings, "person" | "show" | "warn" | "changed" | "refusesHelp">} page */
export function makeArena(page) {
  if (matchMedia("(display-mode: standalone)").matches) {
    // Browsers keep what an installed page stores, if it asks; others may drop it for want of room.
    navigator.storage?.persist().catch(() => undefined);
  }
  return new LocalArena({
    ...page,
    store: new GameStore(),
    loadRules,
    makeBot,
    alone,
    now: () => new Date(),
    random: () => Math.random(),
  });
}

/**
 * @param {Setup} setup
 * @param {number} level
 * @returns {Bot}
 */
function makeBot(setup, level) {
  const thinker = new Thinker(setup, { level, seed: Math.floor(Math.random() * SEEDS) });
  const longest = level === FULL_STRENGTH ? TURN_MS : SLOWEST_TURN_MS;
  return {
    choose: async (turns, milliseconds = longest) => {
      const done = await thinker.search(turns, { milliseconds });
      const found = done?.found.candidates.find(({ turn }) => turn === done.turn);
      const { value = null, visits = null, line = [] } = found ?? {};
      return done && { turn: done.turn, info: { value, visits, pv: line, source: "engine" } };
    },
    stop: () => thinker.stop(),
    dispose: () => thinker.dispose(),
  };
}

/**
 * Act while no other tab does under that name. A browser without locks has to trust the revisions.
 * @param {string} name
 * @param {() => Promise<void>} act
 */
async function alone(name, act) {
  await (navigator.locks ? navigator.locks.request(`bluestone${BASE}.${name}`, act) : act());
}
