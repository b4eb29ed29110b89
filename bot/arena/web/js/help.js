/** The rules in brief, and how to use the page. */

import { openDialog } from "./dialogs.js";
import { h } from "./dom.js";

const RULES = [
  [
    "Aim",
    "A group scores the number of blue stones that it touches. At the end each player lists their groups from high to low, and the first difference decides: 10, 8, 5 beats 10, 8, 4, 4.",
  ],
  [
    "A turn",
    "The first player begins with one stone. After that every turn is two stones on empty cells, and the second may not join the group that holds the first. You may pass; two passes in a row end the game, and so does a full board.",
  ],
  [
    "Capture",
    "A group needs a way to at least four blue stones, through its own stones and empty cells. A group that is cut off from that is captured and removed. One that touches four is safe for ever.",
  ],
  [
    "Abstract Play rules",
    "There one stone is enough for a turn, and captures happen once, after both stones.",
  ],
];

const KEYS = [
  ["Arrow keys on the board", "move the cursor"],
  ["Enter or Space", "places a stone, or takes it back"],
  ["Escape", "takes the chosen stone back"],
  ["← → Home End elsewhere", "step through the turns"],
];

export async function openHelp() {
  await openDialog(
    "How to play",
    [
      h(
        "dl",
        { class: "rules" },
        RULES.map(([term, text]) => [h("dt", {}, term), h("dd", {}, text)]).flat(),
      ),
      h("h3", {}, "By keyboard"),
      h(
        "dl",
        { class: "keys" },
        KEYS.map(([keys, text]) => [h("dt", {}, keys), h("dd", {}, text)]).flat(),
      ),
      h(
        "p",
        { class: "quiet" },
        "Point at a stone or at a score to see its group and the blue stones that it touches.",
      ),
    ],
    [{ label: "Close", value: "", class: "primary" }],
  );
}
