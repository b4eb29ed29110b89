/// <reference lib="deno.ns" />
/** The random numbers are those that the engine makes (tests/engine/kernel/test_splitmix.py). */

import { deepStrictEqual } from "node:assert/strict";
import { randomWords } from "../../../bot/arena/web/js/engine/splitmix.js";

Deno.test("the first numbers are the published ones", () => {
  deepStrictEqual(randomWords(2), [0xe220a8397b1dcdafn, 0x6e789e6aa1b965f4n]);
});
