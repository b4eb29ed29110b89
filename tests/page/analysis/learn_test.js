import { strictEqual } from "node:assert/strict";
import { Learning } from "../../../bot/arena/web/js/analysis/learn.js";

/** @import { FreeRules } from "../../../bot/arena/web/js/game/free_rules.js" */
/** @import { AnalysedTurn } from "../../../bot/arena/web/js/shared/wire.d.ts" */

const LINES = [
  { turn: "best", value: 0.6, visits: 1000, pv: [] },
  { turn: "close", value: 0.57, visits: 300, pv: [] },
  { turn: "hardly-looked-at", value: 0.99, visits: 3, pv: [] },
];

/** @param {number} reply the opponent's chance after a turn that is tried */
function lesson(reply) {
  const mistake = {
    ply: 0,
    player: 1,
    turn: "played",
    best: "best",
    best_value: 0.6,
    lines: LINES,
  };
  const rules = { position: () => Promise.resolve({ over: false }) };
  return new Learning(
    /** @type {FreeRules} */ (/** @type {unknown} */ (rules)),
    () => Promise.resolve(reply),
    ["played"],
    [/** @type {AnalysedTurn} */ (/** @type {unknown} */ (mistake))],
  );
}

Deno.test("a turn that the analysis knows to be good solves without a search", async () => {
  const learning = lesson(1);
  await learning.attempt("close");
  strictEqual(learning.stage, "solved");
});

Deno.test("a turn that the analysis has hardly looked at is judged by a search", async () => {
  const learning = lesson(0.9);
  await learning.attempt("hardly-looked-at");
  strictEqual(learning.stage, "wrong");
});
