import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { Games, hosted, seatOf } from "../../../bot/arena/web/js/shared/games.js";

/** @import { Player } from "../../../bot/arena/web/js/shared/wire.d.ts" */

Deno.test("an older state does not replace a newer one", () => {
  const games = new Games();
  for (const revision of [3, 5, 4]) {
    const state = { game_id: "g", revision, sub_revision: 0, turns: [], server_time: "2026-01-01" };
    games.accept(/** @type {any} */ (state));
  }
  strictEqual(games.get("g")?.revision, 5);
});

Deno.test("a player is found in a game by id, also after a new name", () => {
  const players = /** @type {Player[]} */ ([{ id: "a", name: "Anna" }, { id: "b", name: "Ben" }]);
  const seats = [{ id: "b", name: "Benjamin" }, { id: "c", name: "Anna" }, null].map((who) =>
    seatOf({ players }, /** @type {Player | null} */ (who))
  );
  deepStrictEqual(seats, [2, null, null]);
});

Deno.test("a game is over at its early end", () => {
  const early = { winner: 2, assured: 3, potential: 2 };
  const position = /** @type {any} */ ({ ply: 16, over: false, winner: null, early_end: early });
  deepStrictEqual(hosted(position), { ...position, over: true, winner: 2 });
  const open = { ...position, early_end: null };
  strictEqual(hosted(open), open);
});
