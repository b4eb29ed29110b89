import { deepStrictEqual } from "node:assert/strict";
import { opinions } from "../../../bot/arena/web/js/game/evaluation.js";

/** @import { PlayedTurn } from "../../../bot/arena/web/js/shared/wire.d.ts" */

/**
 * Turns with the engines' reports.
 * @param {{ value: number | null, visits: number | null }[]} reports
 */
function turns(...reports) {
  const played = reports.map((report) => ({ turn: "0-0", info: { ...report, pv: [] } }));
  return /** @type {PlayedTurn[]} */ (/** @type {unknown} */ (played));
}

Deno.test("a bot's chance that rests on no playout is no opinion", () => {
  const played = turns({ value: 0.6, visits: 9 }, { value: 0.5, visits: 0 });
  deepStrictEqual(opinions(played).map(({ ply, black }) => [ply, black]), [[1, 0.6]]);
});
