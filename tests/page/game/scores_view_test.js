import { strictEqual } from "node:assert/strict";
import { ScoresView } from "../../../bot/arena/web/js/game/scores_view.js";

Deno.test("a score without words on the page is shown with the server's word", () => {
  const view = new ScoresView(1);
  view.update({ mine: [3], theirs: [1], groups: [] }, { score: "points", goal: null });
  strictEqual(view.element.textContent, "3 points");
});
