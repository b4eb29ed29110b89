import { strictEqual } from "node:assert/strict";
import { sizeWords } from "../../../bot/arena/web/js/setup/board_chooser.js";

Deno.test("the board of Go has points, and others have cells", () => {
  strictEqual(sizeWords("square-9", 81), "81 points");
  strictEqual(sizeWords("pent-6", 76), "76 cells");
  strictEqual(sizeWords("plane", 0), "no edge");
});
