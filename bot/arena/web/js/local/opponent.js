/** Who sits opposite in a game on this device: a bot of a level, or a second person. */

import { other } from "../shared/games.js";

/** @import { Seat } from "../shared/wire.d.ts" */

/**
 * @typedef {object} Opponent
 * @property {boolean} isHere a person who sees the board too: the two agree at once
 * @property {(mover: Seat) => boolean} isToMove whether a turn of that seat is the bot's
 * @property {(mover: Seat) => Seat} givesUp who resigns while that seat is to move
 * @property {(mover: Seat) => number} takenBack how many turns a takeback removes then
 */

/** @type {Opponent} */
const PERSON = {
  isHere: true,
  isToMove: () => false,
  givesUp: (mover) => mover,
  takenBack: () => 1,
};

/**
 * @param {Seat | null} seat of the person who plays alone against a bot; null for two people
 * @returns {Opponent}
 */
export function opponentOf(seat) {
  return seat === null ? PERSON : {
    isHere: false,
    isToMove: (mover) => mover === other(seat),
    givesUp: () => seat,
    takenBack: (mover) => mover === seat ? 2 : 1,
  };
}
