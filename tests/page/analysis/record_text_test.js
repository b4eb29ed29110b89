import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { gameIn, hasGo } from "../../../bot/arena/web/js/analysis/record_text.js";

const PLAYED = { game: "bluestone", board: "pent-4", rules: "official", options: {} };
const RECORD = {
  format: "bluestone-record-1",
  ...PLAYED,
  turns: [{ turn: "3-9", time_ms: 1 }, { turn: "2-0,2-1" }],
};
const TEXT = "3-9_2-0,2-1";

Deno.test("a record is read from JSON, and the first one from JSON Lines", () => {
  const other = JSON.stringify({ ...RECORD, turns: [] });
  for (
    const text of [JSON.stringify(RECORD, null, 2), `\n${JSON.stringify(RECORD)}\n${other}\n`]
  ) {
    const found = gameIn(text);
    deepStrictEqual(found?.played, PLAYED);
    strictEqual(found.tree.text.replace("*", ""), TEXT);
  }
});

Deno.test("a record is read from SGF: the first game, without comments and escapes", () => {
  const found = gameIn(
    "(;FF[4]GM[1]GAME[blooms]BOARD[hexhex-4]OPTION[captures=8][a=b]RU[official]PB[A \\] ;B[x]]\n" +
      ";B[1a1]BL[3]C[W[b1\\]; a]\n;W[1b1,2c1])\n(;FF[4]GAME[hexo];B[0:0])",
  );
  deepStrictEqual(found?.played, {
    ...{ game: "blooms", board: "hexhex-4", rules: "official" },
    options: { captures: "8", a: "b" },
  });
  strictEqual(found.tree.text.replace("*", ""), "1a1_1b1,2c1");
});

Deno.test("of an SGF with variations the main line is read", () => {
  const found = gameIn(
    "(;GAME[blooms]BOARD[hexhex-4]RU[official];B[1a1](;W[1b1,2c1];B[1c1])(;W[1d1]))",
  );
  strictEqual(found?.tree.text.replace("*", ""), "1a1_1b1,2c1_1c1");
});

Deno.test("a game of Go is read as Free Go, on a board of its size, without the last passes", () => {
  const found = gameIn("(;FF[4]GM[1]SZ[9]KM[6.5]HA[0];B[ee];W[ai]C[(;B[aa\\])]\n;B[ic];W[];B[tt])");
  const played = { game: "freego", board: "square-9", rules: "official", options: {} };
  deepStrictEqual(found?.played, played);
  strictEqual(found.tree.text.replace("*", ""), "e5_a1_j7");
  strictEqual(gameIn("(;GM[1];B[ss])")?.played.board, "square-19");
});

Deno.test("a game of Go that Free Go cannot have is refused", () => {
  const handicap = "(;GM[1]SZ[9]HA[2]AB[cc][gg];W[ee])";
  const refused = [
    ...[handicap, "(;GM[1]SZ[9];B[ee];W[];B[cc])", "(;GM[1]SZ[9];B[ee];B[cc])"],
    ...["(;GM[1]SZ[9];W[ee])", "(;GM[1]SZ[9];B[jj])", "(;GM[1]SZ[9];B[ee];AE[ee];W[cc])"],
  ];
  for (const text of refused) {
    strictEqual(gameIn(text), null, text);
    strictEqual(hasGo(text), true, text);
  }
  strictEqual(hasGo("(;GM[1000]GAME[x])"), false);
});

Deno.test("a link to an analysis is found in a text", () => {
  const link = `https://site.example/a/analysis#game=bluestone&board=pent-4&t=${TEXT}`;
  const found = gameIn(`Look at ${link} please`);
  strictEqual(found?.played.board, "pent-4");
  strictEqual(found.tree.text.replace("*", ""), TEXT);
});

Deno.test("what is no game is none", () => {
  for (const text of ["", "no game", "{}", "[1]", "null", "(", "(;FF[4])", '{"format": "x"}']) {
    strictEqual(gameIn(text), null, text);
  }
  strictEqual(gameIn(JSON.stringify({ ...RECORD, board: "<b>" })), null);
  strictEqual(gameIn(JSON.stringify({ ...RECORD, turns: [{ turn: "a b" }] })), null);
  strictEqual(gameIn(JSON.stringify({ ...RECORD, turns: [null] })), null);
});

Deno.test("a record with a link in it is read as a record", () => {
  const players = ["https://site.example/analysis#game=hexo&board=plane", "x"];
  strictEqual(gameIn(JSON.stringify({ ...RECORD, players }))?.played.game, "bluestone");
});

Deno.test("more turns than any game has are none", () => {
  const turns = (/** @type {number} */ count) => Array(count).fill({ turn: "pass" });
  strictEqual(gameIn(JSON.stringify({ ...RECORD, turns: turns(10_001) })), null);
  strictEqual(
    gameIn(JSON.stringify({ ...RECORD, turns: turns(100) }))?.tree.text.split("_").length,
    100,
  );
});

const LONG = 1_000_000;
/** Texts that took minutes when a search in them began anew at each character. */
const HOSTILE = {
  "a long word": `(${"A".repeat(LONG)}`,
  "values without an end": `(${"A[".repeat(LONG)}`,
  "many brackets": `(;B${"[".repeat(LONG)}`,
  "many escapes": `(;C[${"\\]".repeat(LONG)}`,
  "many values": `(;B${"[a]".repeat(LONG / 4)}`,
  "many begins of links": "#".repeat(LONG),
  "nested JSON": `{"a":${"[".repeat(LONG)}`,
  "many lines": "{\n".repeat(LONG),
};

for (const [what, text] of Object.entries(HOSTILE)) {
  Deno.test(`a text with ${what} is no game, and ends`, () => strictEqual(gameIn(text), null));
}
