/**
 * The page's texts about a game: a module in this folder, named like the game. A game without a module
 * gets general texts.
 */

import { t } from "../shared/messages.js";

/**
 * @typedef {object} GameTexts
 * @property {[string, string][]} sections the rules in brief: a heading and a paragraph each
 * @property {Record<string, string>} ruleHints what is special about each rule set
 * @property {(setup: {options: Record<string, string | number>}) => number} stonesATurn how many stones a turn has
 *   at most, after the first one
 * @property {string} group what connected stones are called, as in the keys `game.group.*`
 * @property {(setup: GameSetup) => string} turn the task at the beginning of a turn
 * @property {string} first the task of the first turn of a game
 * @property {string} second the task after the first stone
 * @property {(goal: number | null) => string} aim how to win, in a line; `goal` is the score that wins
 * @property {(game: GameState, seat: Seat | null) => string} ended why a game that was played to its end is over;
 *   the person on that seat is called "you"
 * @property {RowRules | null} rows in a game of stones in a row on a board without an end
 * @property {[keys: string, text: string][]} keys more keys than other games have
 */

/**
 * What the page draws without asking: how many stones in a row win, and how far from the other stones
 * a stone may be placed. The server decides what is legal.
 * @typedef {{goal: number, reach: number}} RowRules
 */

/** @import { GameSetup, GameState, Seat } from "../shared/wire.d.ts" */

/** @type {GameTexts} */
const GENERIC = {
  sections: [
    [t("rules.generic"), t("rules.generic_text")],
  ],
  ruleHints: {},
  stonesATurn: () => 2,
  group: "group",
  turn: () => t("rules.a_stone"),
  first: t("rules.first"),
  second: t("rules.second"),
  aim: () => "",
  ended: () => "",
  rows: null,
  keys: [],
};

/** @type {Map<string, Promise<GameTexts>>} */
const known = new Map();

/**
 * @param {string} game
 * @returns {Promise<GameTexts>}
 */
export function gameTexts(game) {
  let texts = known.get(game);
  if (!texts) {
    texts = load(game);
    known.set(game, texts);
  }
  return texts;
}

/**
 * @param {string} game
 * @returns {Promise<GameTexts>}
 */
async function load(game) {
  try {
    const module = await import(`./${encodeURIComponent(game)}.js`);
    return { ...GENERIC, ...module.default };
  } catch {
    return GENERIC;
  }
}
