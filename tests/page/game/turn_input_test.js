import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { TurnInput } from "../../../bot/arena/web/js/game/turn_input.js";

/** @import { Position } from "../../../bot/arena/web/js/engine/rules.js" */

const STONES = { stones: {}, marks: {}, scores: [[0], [0]] };

/**
 * A position in which any two of these cells are a turn.
 * @param {string[]} cells
 * @returns {Position}
 */
function open(...cells) {
  const left = (/** @type {string[]} */ chosen) => cells.filter((cell) => !chosen.includes(cell));
  const fake = {
    legal: (/** @type {string[]} */ chosen) => ({
      ply: 2,
      legal: chosen.length < 2 ? left(chosen) : [],
      illegal: {},
      complete: chosen.length === 2,
      may_pass: false,
      captured: [],
    }),
    why: (/** @type {string[]} */ chosen, /** @type {string} */ step) =>
      left(chosen).includes(step) ? null : { rule: "occupied", message: "" },
    drafted: (/** @type {string[]} */ chosen) => chosen.length > 0 ? STONES : null,
    play: (/** @type {string} */ turn) => ({ view: () => ({ ...STONES, last: turn.split(",") }) }),
  };
  return /** @type {any} */ (fake);
}

/**
 * An input, and what it has sent and asked.
 * @param {Position | null} position by the rules in the page
 */
function input(position) {
  /** @type {string[]} */
  const sent = [];
  /** @type {string[][]} */
  const asked = [];
  const made = new TurnInput({
    ready: () => Promise.resolve(),
    locate: () => position,
    legal: (chosen) => {
      asked.push(chosen);
      return new Promise(() => {});
    },
    play: ({ turn }) => {
      sent.push(turn);
      return Promise.resolve();
    },
  }, () => false);
  return { made, sent, asked };
}

/** Until all that waits for no server is done. */
const settled = () => new Promise((resolve) => setTimeout(resolve));

Deno.test("the rules in the page answer at once, and show the turn that is on its way", async () => {
  const { made, sent, asked } = input(open("a1", "b2", "c3"));
  made.begin(2);
  deepStrictEqual([...made.open ?? []], ["a1", "b2", "c3"]);
  strictEqual(made.drafted, null);
  made.choose("a1");
  await settled();
  deepStrictEqual([made.drafted, made.played], [STONES, null]);
  made.choose("c3");
  await settled();
  deepStrictEqual([made.phase, made.played?.last, made.drafted], ["sending", ["a1", "c3"], null]);
  deepStrictEqual([sent, asked], [["a1,c3"], []]);
});

Deno.test("a cell that is closed is refused without a question", async () => {
  const { made, asked } = input(open("a1", "b2"));
  made.begin(2);
  made.choose("d4");
  await settled();
  deepStrictEqual([made.complaint?.cell, made.complaint?.message], ["d4", "d4 is not empty."]);
  deepStrictEqual([made.draft.stones, asked], [[], []]);
});

Deno.test("a premove that the opponent's turn forbids is dropped in the page", async () => {
  const { made, sent } = input(open("a1", "c3"));
  made.wait(0);
  made.premove("a1");
  made.premove("b2");
  strictEqual(made.hasPremove, true);
  made.begin(2);
  await settled();
  deepStrictEqual([made.phase, made.draft.stones, sent], ["choosing", [], []]);
  strictEqual(made.complaint !== null, true);
});

Deno.test("a premove that is still legal is sent, and shown", async () => {
  const { made, sent } = input(open("a1", "b2"));
  made.wait(0);
  made.premove("a1");
  made.premove("b2");
  made.begin(2);
  await settled();
  deepStrictEqual([sent, made.played?.last], [["a1,b2"], ["a1", "b2"]]);
});

Deno.test("without rules in the page, the server is asked", async () => {
  const { made, asked } = input(null);
  made.begin(2);
  await settled();
  deepStrictEqual([made.legal, asked], [null, [[]]]);
});

Deno.test("where a turn is one stone, a premove is one stone, and another click replaces it", () => {
  const { made } = input(open("a1", "b2"));
  made.draft.most = 1;
  made.wait(0);
  made.premove("a1");
  made.premove("b2");
  deepStrictEqual(made.draft.stones.map(({ cell }) => cell), ["b2"]);
});
