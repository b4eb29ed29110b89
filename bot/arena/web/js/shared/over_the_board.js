/** Whether a game is shown without help, so that a person practises as over the board. */

/** @import { Settings } from "./storage.js" */
/** @import { GameState } from "./wire.d.ts" */

/**
 * Only games that still run hide help: afterwards, the person wants to learn from it.
 * @param {Pick<GameState, "state">} game
 * @param {Settings} settings
 */
export function isBare({ state }, { overTheBoard }) {
  return overTheBoard && state === "playing";
}
