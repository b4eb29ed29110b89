import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { chanceOf, sureLines } from "../../../bot/arena/web/js/shared/chances.js";

/**
 * @param {number | null} value
 * @param {number | null} visits
 */
function said(value, visits) {
  return { value, visits };
}

Deno.test("a search without a playout has no chance to show", () => {
  strictEqual(chanceOf(said(0.5, 0)), null);
  strictEqual(chanceOf(said(0.5, 1)), 0.5);
});

Deno.test("a sure win or loss needs no playouts", () => {
  strictEqual(chanceOf(said(1, 0)), 1);
  strictEqual(chanceOf(said(0, 0)), 0);
});

Deno.test("an engine that does not count has chances, and no answer has none", () => {
  strictEqual(chanceOf(said(0.5, null)), 0.5);
  strictEqual(chanceOf(null), null);
  strictEqual(chanceOf(undefined), null);
});

Deno.test("a line with few of the playouts is not sure, whatever its value", () => {
  const lines = [said(0.4, 1000), said(0.99, 19), said(0.39, 20), said(0.9, 0)];
  deepStrictEqual(sureLines(lines), [true, false, true, false]);
});

Deno.test("the best line is sure though it has few playouts: it is proved", () => {
  deepStrictEqual(sureLines([said(1, 3), said(0.4, 1000)]), [true, true]);
});
