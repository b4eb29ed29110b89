/** The page's texts about HeXO. */

/** @import { GameTexts } from "./texts.js" */

/** @type {Partial<GameTexts>} */
export default {
  sections: [
    [
      "Aim",
      "Be the first to have six or more of your stones in a row, along one of the three lines through a cell. Stones never leave the board.",
    ],
    [
      "A turn",
      "The first player begins with one stone, on the cell 0:0. After that every turn is two stones on empty cells. There is no pass.",
    ],
    [
      "Where",
      "The board has no edge. A stone must be placed within 8 cells of another stone, of either colour; the first stone of your turn counts for the second.",
    ],
    [
      "The end",
      "A row of six wins at once, also with the first stone of a turn: then the second is not placed. If nobody has won after the agreed number of turns, the game is a draw.",
    ],
    [
      "On this page",
      "Drag the board to move it; zoom with the wheel, two fingers or the buttons. Bright cells are near the stones, pale ones are as far as a stone may be placed. If your opponent plays outside the view, an arrow shows where: press it to look there. Point at a stone to see the longest row through it. The settings can show threats: lines with four or five stones of one player and none of the other, which one turn can complete.",
    ],
  ],
  group: "row",
  turn: () => "Your turn: place two stones.",
  first: "Your turn: place the first stone, on 0:0.",
  second: "Place your second stone.",
  aim: () => "Aim: six stones in a row.",
  ended: ({ result }) => result?.winner ? "" : "The agreed number of turns is over.",
  rows: { goal: 6, reach: 8 },
  keys: [
    ["+ −", "zoom"],
    ["0", "shows the whole game"],
    ["C", "centres on the last turn"],
  ],
};
