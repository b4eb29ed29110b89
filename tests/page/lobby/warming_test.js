import { deepStrictEqual } from "node:assert/strict";
import { warmingSentences } from "../../../bot/arena/web/js/lobby/warming.js";

/** @import { Warming } from "../../../bot/arena/web/js/shared/wire.d.ts" */

/** @type {Warming} */
const SEARCH = { game: "bluestone", title: "Bluestone", parts: ["search"] };
/** @type {Warming} */
const BOTH = { game: "blooms", title: "Blooms", parts: ["rules", "search"] };

Deno.test("the page says which games are still being compiled", () => {
  deepStrictEqual(warmingSentences([], true), []);
  deepStrictEqual(warmingSentences([], false), ["No bot is online at the moment."]);
  deepStrictEqual(warmingSentences([SEARCH, BOTH], false), [
    "Bots will be ready shortly (one-time setup).",
    "Blooms will be ready in about a minute.",
  ]);
  deepStrictEqual(warmingSentences([SEARCH], true), [
    "Bots will be ready for Bluestone shortly (one-time setup).",
  ]);
});
