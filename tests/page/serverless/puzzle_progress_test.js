import { deepStrictEqual } from "node:assert/strict";
import { readProgress } from "../../../bot/arena/web/js/serverless/puzzle_progress.js";

const NOTHING = { answers: {}, ratings: {}, lastDay: 0, streak: 0 };
const KEPT = {
  answers: { a: true, b: false },
  ratings: { bluestone: { rating: 1300, deviation: 90 } },
  lastDay: 20_000,
  streak: 3,
};

Deno.test("progress is read as it was kept", () => {
  deepStrictEqual(readProgress(KEPT), KEPT);
});

Deno.test("what is no progress counts as none", () => {
  const ratings = [null, {}, { rating: "1300", deviation: 90 }, { rating: 1300, deviation: 0 }];
  const wrong = [
    ...[null, 5, "text", [], {}, { ...KEPT, answers: null }, { ...KEPT, answers: { a: "yes" } }],
    ...ratings.map((each) => ({ ...KEPT, ratings: { bluestone: each } })),
    { ...KEPT, streak: 1.5 },
  ];
  for (const each of wrong) {
    deepStrictEqual(readProgress(each), NOTHING);
  }
});
