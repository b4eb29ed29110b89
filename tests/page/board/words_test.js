import { strictEqual } from "node:assert/strict";
import { BoardWords } from "../../../bot/arena/web/js/board/words.js";

/** @param {string} noun */
function groupOf(noun) {
  const words = new BoardWords(/** @type {any} */ ({ blue: [] }), noun, null);
  const group = { seat: 1, kind: 1, cells: ["a1", "a2"], free: ["a3"], blue: [], stars: [] };
  return words.describeGroup(/** @type {any} */ (group));
}

Deno.test("a game's own word names the empty cells beside connected stones", () => {
  strictEqual(groupOf("chain"), "Black: chain of 2 stones, 1 liberty");
  strictEqual(groupOf("bloom"), "Black: bloom of 2 stones, 1 empty cell beside it");
});
