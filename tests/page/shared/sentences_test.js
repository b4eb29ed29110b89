import { deepStrictEqual } from "node:assert/strict";
import {
  boardTitle,
  duration,
  percent,
  resultTitle,
} from "../../../bot/arena/web/js/shared/sentences.js";

Deno.test("a duration has one unit", () => {
  const shown = [45, 300, 5400, 3 * 86_400].map(duration);
  deepStrictEqual(shown, ["45 s", "5 min", "1.5 h", "3 days"]);
});

Deno.test("only a finished game is certain", () => {
  deepStrictEqual([0, 0.5, 1].map((value) => parseInt(percent(value))), [1, 50, 99]);
});

Deno.test("what the server names and the page has no words for is shown", () => {
  deepStrictEqual(boardTitle("ring-9"), "Ring 9");
  const names = ["Anna", "Ben"];
  deepStrictEqual(resultTitle({ winner: 2, reason: "by magic" }, names), "Ben won");
  deepStrictEqual(resultTitle({ winner: 2, reason: "by magic" }, names, 2), "You won");
});
