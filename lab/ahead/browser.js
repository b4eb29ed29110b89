/// <reference lib="deno.ns" />
/**
 * Searches with WebAssembly for `lab.ahead.ahead`, in V8, which Chromium has too: a line of JSON for
 * each line on stdin.
 *
 *     deno run --allow-read lab/ahead/browser.js FOLDER SETUPS
 */

import process from "node:process";
import { createInterface } from "node:readline";
import { loadNetwork, requireRules } from "../../bot/arena/web/js/engine/load.js";
import { noNetwork } from "../../bot/arena/web/js/engine/network.js";
import { Searcher } from "../../bot/arena/web/js/engine/searcher.js";

/** @import { Setup } from "../../bot/arena/web/js/engine/mechanics.d.ts" */

/** @typedef {{ game: string, network: boolean, playouts: number }} Asked */

const MEGABYTES = 64;
const SEED = 7n;
/** A call runs to its end in the code in which it began, so that pages make short calls. */
const SLICE = 200;

const [folder = "", setups = "{}"] = Deno.args;
/** @type {Record<string, Setup>} */
const known = JSON.parse(setups);
/** @type {Map<string, Searcher>} */
const searchers = new Map();

/** @param {Asked} asked */
async function searcherOf({ game, network }) {
  const key = `${game} ${network}`;
  const found = searchers.get(key);
  if (found) {
    return found;
  }
  const place = { folder, query: "" };
  const rules = await requireRules(/** @type {Setup} */ (known[game]), place);
  const judge = network ? await loadNetwork(rules, place) : null;
  const { layout } = rules.kernels;
  const made = new Searcher(rules, {
    megabytes: MEGABYTES,
    seed: SEED,
    tuning: layout.tunings[judge ? "network" : "playouts"],
    network: judge ?? noNetwork(rules.kernels),
  });
  searchers.set(key, made);
  return made;
}

for await (const line of createInterface({ input: process.stdin })) {
  /** @type {Asked} */
  const asked = JSON.parse(line);
  const searcher = await searcherOf(asked);
  searcher.forget();
  searcher.moveTo(searcher.rules.start());
  const began = process.cpuUsage();
  let playouts = 0;
  while (playouts < asked.playouts && !searcher.solved) {
    playouts += searcher.grow(Math.min(SLICE, asked.playouts - playouts));
  }
  const { user, system } = process.cpuUsage(began);
  const seconds = (user + system) / 1e6;
  process.stdout.write(`${JSON.stringify({ playouts, seconds, visits: searcher.visits })}\n`);
}
