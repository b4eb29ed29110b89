/** Games in SGF: those that `bluestone records` exports (docs/records.md), and those of programs for Go. */

/**
 * @typedef {object} SgfGame
 * @property {Record<string, string>} facts the first value of each other property
 * @property {Record<string, string>} options
 * @property {string[]} turns
 * @property {boolean} isInOrder whether the players alternate from an empty board, and Black begins
 */

/**
 * The begin or end of a node or a line of SGF, the name of a property, or one of its values. Each is
 * found without looking back, so that no text takes long: a value may even lack its end.
 */
const SGF = /[;)]|[A-Z]+|\[([^\\\]]*(?:\\[^][^\\\]]*)*)\]?/g;
const COLOURS = ["B", "W"];
/** Properties that place stones without a turn. */
const SETUP = ["AB", "AW", "AE"];
/** The value of GM for games on the board of Go. */
const GO = "1";
/** The names of columns (boards/square.py): Go players leave out the I. */
const COLUMNS = "abcdefghjklmnopqrst";
const USUAL_SIZE = "19";

/**
 * The main line of the first game, as the file writes its turns.
 * @param {string} text
 * @returns {SgfGame}
 */
export function readSgf(text) {
  /** @type {SgfGame} */
  const game = { facts: {}, options: {}, turns: [], isInOrder: true };
  let name = "";
  for (const [whole, quoted] of text.matchAll(SGF)) {
    const value = quoted?.replace(/\\([^])/g, "$1");
    if (whole === ")") {
      break; // a variation follows, or the next game
    } else if (value === undefined) {
      name = whole;
    } else if (name === "OPTION") {
      const [key = "", word = ""] = value.split("=");
      game.options[key] = word;
    } else if (COLOURS.includes(name)) {
      game.isInOrder &&= name === COLOURS[game.turns.length % 2];
      game.turns.push(value);
    } else {
      game.isInOrder &&= !SETUP.includes(name);
      game.facts[name] ??= value;
    }
  }
  return game;
}

/**
 * The turns as the rules write them: on the board of Go, points become names of cells.
 * @param {SgfGame} game
 */
export function turnsOf({ facts, turns }) {
  const size = Number(facts["SZ"]);
  return facts["GM"] === GO && size ? turns.map((turn) => cellAt(turn, size)) : turns;
}

/** Whether a program for Go wrote the file: it names no game of ours. @param {SgfGame} game */
export function isOfGo({ facts }) {
  return facts["GM"] === GO && facts["GAME"] === undefined;
}

/**
 * A game of Go as one of Free Go, without the passes at its end; null if Free Go has no such turns.
 * @param {SgfGame} game
 */
export function asFreeGo({ facts, turns, isInOrder }) {
  const { SZ: size = USUAL_SIZE } = facts;
  const isPass = (/** @type {string} */ turn) => turn === "" || turn === "tt";
  const stones = turns.slice(0, turns.findLastIndex((turn) => !isPass(turn)) + 1);
  const cells = stones.map((turn) => cellAt(turn, Number(size)));
  return isInOrder && !cells.includes("") ? { board: `square-${size}`, turns: cells } : null;
}

/**
 * The name of the cell at a point of Go: its column and its row from the upper left, such as `ce`; ""
 * if the board has no such point.
 * @param {string} point
 * @param {number} size how many lines the board has
 */
function cellAt(point, size) {
  const [column = -1, row = -1] = [...point].map((letter) => letter.charCodeAt(0) - 97);
  const isThere = point.length === 2 && [column, row].every((line) => line >= 0 && line < size);
  return isThere ? `${COLUMNS[column] ?? ""}${size - row}` : "";
}
