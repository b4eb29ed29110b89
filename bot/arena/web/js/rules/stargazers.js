/** What the page says about Stargazers. */

/** @import { GameTexts } from "./texts.js" */

/** @type {Partial<GameTexts>} */
export default {
  sections: [
    [
      "Aim",
      "When somebody cannot place a stone, the game ends, and the player with fewer uninspired stones wins.",
    ],
    [
      "Lines of sight",
      "A stone looks along the six straight lines from its cell, in each as far as the first stone or star. Nothing is placed on a star, and no stone ever leaves the board.",
    ],
    [
      "Inspired stones",
      "A stone that sees a star with at least one empty cell in between is inspired, and so is every stone that sees an inspired stone of its own colour. When such a line is blocked, or the gap before the star is filled, inspiration can be lost; a new stone can bring it back.",
    ],
    [
      "A turn",
      "The first player begins with one stone; after that every turn is two stones, one after the other, or one each if the players alternate. Every new stone must be inspired once it stands. There is no pass: who can place a stone has to.",
    ],
    [
      "The end",
      "The game is over as soon as the player who has to place a stone has no cell for it. With equal numbers of uninspired stones the last to place wins; under Ludii’s rules the one who cannot place loses. Ludii also ends a game early once one side can no longer be caught up.",
    ],
    [
      "On this page",
      "Uninspired stones are faded and crossed out. Point at a stone to see which stones and stars it is linked with.",
    ],
  ],
  ruleHints: {
    official: "The designer’s text: with equal counts the last to place wins.",
    ludii:
      "As Ludii plays it: ends early once one side is sure to win, and who is stuck loses ties.",
  },
};
