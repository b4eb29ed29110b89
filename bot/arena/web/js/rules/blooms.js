/** The page's texts about Blooms. */

/** @import { GameTexts } from "./texts.js" */

/** @type {Partial<GameTexts>} */
export default {
  sections: [
    [
      "Aim",
      "Be the first to capture the target number of stones (25 on the usual board). Your panel shows how many you have captured.",
    ],
    [
      "Your colours",
      "The first player owns black and red, the second white and gold; red and gold stones have a ring. A bloom is a connected set of stones of one colour.",
    ],
    [
      "A turn",
      "The first player begins with one stone. After that you place one stone or two, on empty cells; two stones must be of your two different colours. There is no pass.",
    ],
    [
      "Capture",
      "A bloom is fenced when no empty cell touches it. At the end of your turn all fenced enemy blooms are captured at once. Your own fenced blooms stay for now; if they are still fenced at the end of your opponent’s turn, they are lost.",
    ],
    [
      "On this page",
      "Choose a colour next to the buttons or with the keys 1 and 2; the second stone gets your other colour automatically. Click a stone that is not sent yet to take it back, or swap the colours of the stones that you have placed. Point at a stone to see its bloom and how many empty cells keep it alive.",
    ],
  ],
  group: "bloom",
  turn: () => "Your turn: place one stone or two.",
  second: "Place a second stone, or play just this one.",
  aim: (goal) => `Aim: be the first to capture ${goal ?? "enough"} stones.`,
  ended: ({ result, players }) => {
    const winner = result?.winner && players[result.winner - 1]?.name;
    return winner ? `${winner} reached the target first.` : "";
  },
};
