/** The page's texts about Stargazers. */

/** @import { GameTexts } from "./texts.js" */

/** @type {Partial<GameTexts>} */
export default {
  sections: [
    [
      "Aim",
      "When a player cannot place a stone, the game ends. The player with fewer uninspired stones wins.",
    ],
    [
      "Lines of sight",
      "A stone looks along the six straight lines from its cell, in each as far as the first stone or star. Nothing is placed on a star, and no stone ever leaves the board.",
    ],
    [
      "Inspired stones",
      "A stone is inspired if it sees a star with at least one empty cell between them, or if it sees an inspired stone of its own colour. All other stones are uninspired: the board shows them faded, with a line through them. A stone loses its inspiration when its line is blocked or the gap before the star is filled. A new stone can bring it back.",
    ],
    [
      "A turn",
      "The first player begins with one stone; after that every turn is two stones, one after the other, or one each if the players alternate. Every new stone must be inspired when you place it. There is no pass: you must place if you can.",
    ],
    [
      "The end",
      "The game is over as soon as the player who must place a stone has no cell for it. With equal numbers of uninspired stones the last to place wins; under Ludii’s rules the one who cannot place loses. Ludii also ends a game early once one side can no longer be caught up.",
    ],
    [
      "On this page",
      "Point at a stone to see which stones and stars it is linked with.",
    ],
  ],
  ruleHints: {
    official: "The designer’s text: with equal counts the last to place wins.",
    ludii:
      "As Ludii plays it: ends early once one side is sure to win, and a player who cannot place loses ties.",
  },
  turn: ({ options }) =>
    options["protocol"] === "alternating"
      ? "Your turn: place one stone."
      : "Your turn: place two stones, one after the other.",
  aim: () => "Aim: fewer uninspired stones (no line to a star) at the end.",
  ended: ({ setup }) => setup.rules === "official" ? "No cell was left for the next stone." : "",
};
