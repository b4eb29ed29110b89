/** The engines' evaluations of a game, as figures to draw. */

import { chanceOf } from "../shared/chances.js";
import { moverOf } from "../shared/games.js";
import { isBare } from "../shared/over_the_board.js";
import { placementsOf } from "../shared/steps.js";

/** @import { Settings } from "../shared/storage.js" */
/** @import { GameState, PlayedTurn, Seat } from "../shared/wire.d.ts" */

/**
 * @typedef {object} Opinion
 * @property {number} ply how many turns had been played, this one included
 * @property {Seat} seat the player whose engine reported it
 * @property {number} black Black's chance to win, 0 to 1
 * @property {string[]} line the expected turns after this one
 */

/**
 * Expected turns to show on the board, and the ply of the first one.
 * @typedef {{line: string[], ply: number}} Imagined
 */

/**
 * @param {PlayedTurn[]} turns
 * @returns {Opinion[]}
 */
export function opinions(turns) {
  /** @type {Opinion[]} */
  const found = [];
  turns.forEach(({ turn, info }, index) => {
    const value = chanceOf(info);
    if (info && value !== null) {
      const seat = moverOf(index);
      // Engines begin their line with the turn that they play.
      const line = info.pv[0] === turn ? info.pv.slice(1) : info.pv;
      const black = seat === 1 ? value : 1 - value;
      found.push({ ply: index + 1, seat, black, line });
    }
  });
  return found;
}

/**
 * The opinion of the position at a ply, which came with the turn before. An older one is about another
 * position.
 * @param {Opinion[]} all
 * @param {number} ply
 */
export function opinionAt(all, ply) {
  return all.find((opinion) => opinion.ply === ply) ?? null;
}

/**
 * Whether a person sees the bots' evaluation of a game. While a person plays, the server has none.
 * @param {GameState} game
 * @param {Settings} settings
 */
export function isEvaluationShown(game, settings) {
  const isOfBots = game.players.every((player) => player.kind === "bot");
  const isOpen = game.state !== "playing" || (isOfBots && !isBare(game, settings));
  return settings.evaluation && isOpen;
}

/**
 * The stones of an expected line, numbered by turn.
 * @param {string[]} line
 * @param {number} ply the ply of its first turn
 * @param {number} kinds how many kinds of stones a player owns
 * @returns {{cell: string, kind: number, seat: Seat, number: number | null}[]}
 */
export function imaginedStones(line, ply, kinds) {
  return line.flatMap((turn, index) =>
    placementsOf(turn, kinds).map((placement) => ({
      ...placement,
      seat: moverOf(ply + index),
      number: line.length > 1 ? index + 1 : null,
    }))
  );
}
