/// <reference lib="deno.ns" />
/** The analysis of a game on this device, with an engine whose lines a test gives. */

import { analysedTurns } from "../../../bot/arena/web/js/analysis/device_review.js";
import { loadRules } from "../../../bot/arena/web/js/engine/load.js";
import { answerCalls } from "../answering.js";

/** @import { Setup } from "../../../bot/arena/web/js/engine/mechanics.d.ts" */
/** @import { AnalysisLine } from "../../../bot/arena/web/js/shared/wire.d.ts" */

/**
 * @param {string} folder of the engine's files
 * @param {Setup} setup
 * @param {string[]} turns
 * @param {Record<string, AnalysisLine[]>} lines by the turns before
 */
async function analysed(folder, setup, turns, lines) {
  const rules = await loadRules(setup, { folder: `file://${folder}/`, query: "" });
  const found = [];
  if (rules) {
    const search = (/** @type {readonly string[]} */ before) =>
      Promise.resolve(lines[before.join("_")] ?? []);
    for await (const turn of analysedTurns(rules.replay(turns), search)) {
      found.push(turn);
    }
  }
  return found;
}

if (import.meta.main) {
  await answerCalls({ analysed });
}
