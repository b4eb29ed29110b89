import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { hashOf, readAddress } from "../../../bot/arena/web/js/game/tree_address.js";

Deno.test("an address of an analysis is read as it was written", () => {
  const played = {
    game: "blooms",
    board: "hexhex-4",
    rules: "official",
    options: { captures: "8" },
  };
  const { tree } = readAddress("#t=a1_b2*");
  const hash = hashOf(played, tree);
  const again = readAddress(hash);
  deepStrictEqual(again.played, played);
  strictEqual(again.tree?.text, tree?.text);
});

Deno.test("an address holds words only", () => {
  deepStrictEqual(readAddress("#game=blooms&board=../x&o.a=%3Cb%3E&o.c=%E0%A4%A&o.d=1").played, {
    game: "blooms",
    board: null,
    rules: null,
    options: { d: "1" },
  });
  deepStrictEqual(readAddress("#game=%00"), { played: null, tree: null });
});
