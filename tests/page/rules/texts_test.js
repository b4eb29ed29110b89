import { strictEqual } from "node:assert/strict";
import { gameTexts } from "../../../bot/arena/web/js/rules/texts.js";

Deno.test("a game without texts on the page has general ones", async () => {
  const texts = await gameTexts("a-new-game");
  strictEqual(texts.turn(/** @type {any} */ ({})), "Your turn: place a stone.");
});
