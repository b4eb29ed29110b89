/// <reference lib="deno.ns" />
/** Repeats in JavaScript what `native_choices.py` has found. */

import { LevelPlayer } from "../../../bot/arena/web/js/engine/level_player.js";
import { loadNetwork, loadRules } from "../../../bot/arena/web/js/engine/load.js";
import { noNetwork } from "../../../bot/arena/web/js/engine/network.js";
import { Searcher } from "../../../bot/arena/web/js/engine/searcher.js";
import { Thinker } from "../../../bot/arena/web/js/engine/thinker.js";
import { Thinking } from "../../../bot/arena/web/js/engine/thinking.js";
import { answerCalls } from "../answering.js";

/** @import { Setup } from "../../../bot/arena/web/js/engine/mechanics.d.ts" */

/** @typedef {{ megabytes: number, seed: number, playouts: number, count: number }} Terms */
/** @typedef {{ setup: Setup, turns: string[][], network: boolean }} SearchCase */
/** @typedef {{ setup: Setup, turns: string[] }} JudgeCase */
/** @typedef {{ setup: Setup, turns: string[], level: number, draws: number[] }} LevelCase */

/** A search that nobody stops, and whose reports nobody reads. */
const HOST = {
  pause: () => Promise.resolve(),
  isStopped: () => false,
  report: () => undefined,
};

/** @param {string} folder */
function placeIn(folder) {
  return { folder: `file://${folder}/`, query: "" };
}

/**
 * @param {Setup} setup
 * @param {string} folder
 * @param {boolean} [isJudged] whether to load the network
 */
async function load(setup, folder, isJudged = true) {
  const rules = await loadRules(setup, placeIn(folder));
  if (!rules) {
    throw new Error(`no rules for ${setup.board}`);
  }
  return { rules, network: isJudged ? await loadNetwork(rules, placeIn(folder)) : null };
}

/**
 * @param {string} folder
 * @param {SearchCase[]} cases
 * @param {Terms} terms
 */
async function searches(folder, cases, { megabytes, seed, playouts, count }) {
  const found = [];
  for (const { setup, turns, network: isJudged } of cases) {
    const { rules, network } = await load(setup, folder, isJudged);
    const { tunings } = rules.kernels.layout;
    const searcher = new Searcher(rules, {
      megabytes,
      seed: BigInt(seed),
      tuning: network ? tunings.network : tunings.playouts,
      network: network ?? noNetwork(rules.kernels),
    });
    const shown = [];
    for (const each of turns) {
      searcher.moveTo(rules.replay(each));
      await new Thinking(searcher).run({ playouts }, HOST, HOST.report);
      shown.push({ visits: searcher.visits, best: searcher.candidates(count) });
    }
    found.push(shown);
  }
  return found;
}

/**
 * In a worker, as the page does it.
 * @param {string} folder
 * @param {JudgeCase[]} cases
 * @param {Terms} terms
 */
async function judgements(folder, cases, { megabytes, playouts, count }) {
  const found = [];
  for (const { setup, turns } of cases) {
    const thinker = new Thinker(setup, { megabytes, place: placeIn(folder) });
    const answer = await thinker.search(turns, { playouts }, { lines: count, isFresh: true });
    found.push(answer?.found.candidates);
    thinker.dispose();
  }
  return found;
}

/**
 * @param {string} folder
 * @param {LevelCase[]} cases
 * @param {Terms} terms
 */
async function levels(folder, cases, { megabytes, seed, playouts, count }) {
  const found = [];
  for (const { setup, turns, level, draws } of cases) {
    const { rules, network } = await load(setup, folder);
    const skill = /** @type {import("../../../bot/arena/web/js/engine/layout.d.ts").Level} */ (
      rules.boardLayout.levels[level - 1]
    );
    const random = () => draws.shift() ?? 0;
    const player = new LevelPlayer(rules, skill, network, {
      megabytes,
      seed: BigInt(seed),
      random,
    });
    const wanted = { lines: count, isFresh: true };
    const { turn } = await player.choose(rules.replay(turns), { playouts }, wanted, HOST);
    found.push(turn);
  }
  return found;
}

if (import.meta.main) {
  await answerCalls({ searches, judgements, levels });
}
