import { ok, strictEqual } from "node:assert/strict";
import {
  afterAnswer,
  isProvisional,
  NEW_SOLVER,
} from "../../../bot/arena/web/js/serverless/puzzle_rating.js";

Deno.test("an answer changes the rating as on a server", () => {
  // The values of `bot.tournaments.glicko2.after_game`, at the same moment.
  const solved = afterAnswer(NEW_SOLVER, 1300, true);
  const failed = afterAnswer(NEW_SOLVER, 1300, false);
  strictEqual(Math.round(solved.rating), 1304);
  strictEqual(Math.round(failed.rating), 1138);
  strictEqual(Math.round(solved.deviation), 179);
});

Deno.test("many answers make a rating certain, but never fixed", () => {
  let rating = NEW_SOLVER;
  ok(isProvisional(rating));
  for (let count = 0; count < 500; count++) {
    rating = afterAnswer(rating, 1500, count % 2 === 0);
  }
  ok(!isProvisional(rating));
  strictEqual(rating.deviation, 45);
  ok(Math.abs(rating.rating - 1500) < 50);
});
