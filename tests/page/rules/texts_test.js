import { match, strictEqual } from "node:assert/strict";
import { gameTexts } from "../../../bot/arena/web/js/rules/texts.js";

Deno.test("a game without texts on the page has general ones", async () => {
  const texts = await gameTexts("a-new-game");
  strictEqual(texts.turn(/** @type {any} */ ({})), "Your turn: place a stone.");
});

Deno.test("the rules of Stargazers say that every game ends once the winner is certain", async () => {
  const { sections } = await gameTexts("stargazers");
  const [, end = ""] = sections.find(([title]) => title === "The end") ?? [];
  match(end, /after any turn, as soon as the winner is certain/);
});
