/** The page's texts about Bluestone. */

import { PASS } from "../shared/steps.js";

/** @import { GameState } from "../shared/wire.d.ts" */
/** @import { GameTexts } from "./texts.js" */

/** @type {Partial<GameTexts>} */
export default {
  sections: [
    [
      "Aim",
      "A group scores the number of blue stones that it touches. At the end each player lists their groups from high to low, and the first difference decides: 10, 8, 5 beats 10, 8, 4, 4. Equal lists are a draw; most boards have an odd number of blue stones, so a draw needs early passes.",
    ],
    [
      "A turn",
      "The first player begins with one stone. After that every turn is two stones on empty cells, and the second may not join the group that holds the first. You may pass; two passes in a row end the game, and so does a full board.",
    ],
    [
      "Capture",
      "A group needs a way to at least four blue stones, through its own stones and empty cells. A group that is cut off from that is captured and removed. One that touches four is permanently safe.",
    ],
    [
      "Abstract Play rules",
      "You may place just one stone, and captures happen once, after both stones.",
    ],
    [
      "On this page",
      "Point at a stone or at a score to see its group and the blue stones that it touches.",
    ],
  ],
  ruleHints: {
    official: "Two stones every turn, and captures happen after each stone.",
    abstractplay: "One stone is enough, and captures happen once, after both stones.",
  },
  turn: ({ rules }) =>
    `Your turn: place ${rules === "official" ? "two stones" : "one stone or two"}.`,
  second: "Place your second stone, in another group.",
  aim: () => "Aim: touch more blue stones with your best group.",
  ended: (game) => [endOf(game), decisionOf(game)].filter(Boolean).join(" "),
};

/** @param {GameState} game */
function endOf({ turns }) {
  const passed = turns.length > 1 && turns.slice(-2).every(({ turn }) => turn === PASS);
  return passed ? "Both players passed." : "The board is full.";
}

/**
 * The group that decided, in a sentence.
 * @param {GameState} game
 */
function decisionOf({ position, result }) {
  const [one, two] = position.scores;
  const at = [...Array(Math.max(one.length, two.length)).keys()].find((i) => one[i] !== two[i]);
  if (!result?.winner || at === undefined) {
    return "";
  }
  const which = ["best", "second-best", "third-best"][at] ?? `${at + 1}th-best`;
  const [low, high] = [one[at] ?? 0, two[at] ?? 0].sort((a, b) => a - b);
  return `The ${which} group decides: ${high} to ${low}.`;
}
