/** The arena of this page with the browser's storage, locks and workers. */

import { loadRules } from "../engine/load.js";
import { Thinker } from "../engine/thinker.js";
import { now } from "../shared/clock.js";
import { BASE } from "../shared/site.js";
import { load, save } from "../shared/storage.js";
import { LocalArena } from "./arena.js";
import { GameStore } from "./game_store.js";

/** @import { Setup } from "../engine/mechanics.d.ts" */
/** @import { Bot } from "./bot_turns.js" */
/** @import { Surroundings } from "./arena.js" */

const SEEDS = 2 ** 32;
const FULL_STRENGTH = 10;
/** Of a turn of the highest level, as the server's bots take in games without a clock. */
const TURN_MS = 5_000;
/** Where the time is kept that unfinished turns have taken. A database is too slow for a page that closes. */
const USED = "turn_times";
/** So many are kept. */
const MOST_USED = 20;
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** The other levels end by themselves; a device that is too slow for one ends it then. */
const SLOWEST_TURN_MS = 30_000;

/** @param {Pick<Surroundings, "people" | "show" | "warn" | "changed" | "refusesHelp">} page */
export function makeArena(page) {
  if (matchMedia("(display-mode: standalone)").matches) {
    // Browsers keep what an installed page stores, if it asks; others may drop it for want of room.
    navigator.storage?.persist().catch(() => undefined);
  }
  const arena = new LocalArena({
    ...page,
    store: new GameStore(),
    loadRules,
    makeBot,
    alone,
    now: () => new Date(),
    random: () => Math.random(),
    timing: { ticks: now, alarm, usedBefore, keepUsed },
  });
  const see = () => arena.see(document.visibilityState === "visible");
  document.addEventListener("visibilitychange", see);
  addEventListener("pagehide", () => arena.see(false));
  addEventListener("pageshow", see);
  see();
  return arena;
}

/** @type {Surroundings["timing"]["alarm"]} */
function alarm(ms, ring) {
  // A longer time would ring at once. It is found to be over with the next turn.
  const timer = ms > LONGEST_TIMER_MS ? undefined : setTimeout(ring, ms);
  return () => clearTimeout(timer);
}

/** The id of a game, its revision, and the time. @returns {[string, number, number][]} */
function timesKept() {
  const kept = /** @type {[string, number, number][] | null} */ (load(USED, null));
  return Array.isArray(kept) ? kept.filter((each) => Array.isArray(each)) : [];
}

/** @type {Surroundings["timing"]["usedBefore"]} */
function usedBefore(id) {
  const [, revision = NaN, used = NaN] = timesKept().find(([each]) => each === id) ?? [];
  return Number.isFinite(revision + used) ? { revision, used } : null;
}

/** @type {Surroundings["timing"]["keepUsed"]} */
function keepUsed(id, { revision, used }) {
  const others = timesKept().filter(([each]) => each !== id);
  save(USED, [[id, revision, used], ...others.slice(0, MOST_USED - 1)]);
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
