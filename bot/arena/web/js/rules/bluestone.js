/** What the page says about Bluestone. */

/** @import { GameTexts } from "./texts.js" */

/** @type {Partial<GameTexts>} */
export default {
  sections: [
    [
      "Aim",
      "A group scores the number of blue stones that it touches. At the end each player lists their groups from high to low, and the first difference decides: 10, 8, 5 beats 10, 8, 4, 4. Equal lists are a draw; most boards have an odd number of blue stones, and there it takes early passes.",
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
    [
      "On this page",
      "Point at a stone or at a score to see its group and the blue stones that it touches.",
    ],
  ],
  ruleHints: {
    official: "Two stones every turn, and captures happen after each stone.",
    abstractplay: "One stone is enough, and captures happen once, after both stones.",
  },
  turn: "Your turn: place two stones.",
  second: "Place your second stone, in another group.",
};
