import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
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

Deno.test("a person is called you where a sentence says why their game is over", async () => {
  const players = [{ name: "Anna" }, { name: "Ben" }];
  const setup = { rules: "official", options: {} };
  /**
   * @param {string} game
   * @param {object} state
   */
  const words = async (game, state) => {
    const { ended } = await gameTexts(game);
    const whole = /** @type {any} */ ({ setup, players, turns: [], position: {}, ...state });
    return [null, /** @type {const} */ (1), /** @type {const} */ (2)].map((seat) =>
      ended(whole, seat)
    );
  };
  for (const game of ["blooms", "freego"]) {
    const won = "Anna reached the target first.";
    const found = await words(game, { result: { winner: 1 } });
    deepStrictEqual(found, [won, "You reached the target first.", won]);
    deepStrictEqual(await words(game, { result: { winner: null } }), ["", "", ""]);
  }
  const stuck = "Anna had no cell for the next stone.";
  deepStrictEqual(await words("stargazers", { position: { early_end: null } }), [
    ...[stuck, "You had no cell for the next stone.", stuck],
  ]);
  const early = { early_end: { winner: 2, assured: 7, potential: 4 } };
  const sure = "The winner is certain:";
  deepStrictEqual(await words("stargazers", { position: early }), [
    `${sure} Anna keeps at least 7, and Ben gets at most 4.`,
    `${sure} you keep at least 7, and Ben gets at most 4.`,
    `${sure} Anna keeps at least 7, and you get at most 4.`,
  ]);
});
