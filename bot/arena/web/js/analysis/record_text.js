/** Games in texts of other programs: records as JSON or SGF, and links to an analysis. */

import { readAddress } from "../game/tree_address.js";
import { Tree } from "../game/turn_tree.js";
import { asFreeGo, isOfGo, readSgf, turnsOf } from "./sgf_text.js";

/** @import { Played } from "../game/tree_address.js" */

/** @typedef {{played: Played, tree: Tree}} OpenedGame */

/** What `bluestone records` and the arena write (docs/records.md). */
const RECORD = "bluestone-record-1";
const WORD = /^[A-Za-z0-9_.-]{1,40}$/;
const TURN = /^[A-Za-z0-9.:,-]{1,40}$/;
/** The lines of JSON that are tried: the first one that is not empty should have a game. */
const MOST_LINES = 100;
/** More than any game has; each of them is drawn. */
const MOST_TURNS = 10_000;

/**
 * The first game in a text; null if there is none. The rules have not judged its turns yet.
 * @param {string} text
 * @returns {OpenedGame | null}
 */
export function gameIn(text) {
  const [first = ""] = text.trimStart();
  if (first === "(") {
    return gameInSgf(text);
  }
  return first === "{" ? gameInJson(text) : gameInLink(text);
}

/** The game of the first link to an analysis. @param {string} text */
function gameInLink(text) {
  for (const word of text.split(/\s/)) {
    const at = word.indexOf("#");
    if (at >= 0 && word.indexOf("game=", at) >= 0) {
      const { played, tree } = readAddress(word.slice(at));
      return played && { played, tree: tree ?? new Tree() };
    }
  }
  return null;
}

/** @param {string} text */
function gameInJson(text) {
  const lines = text.split("\n").filter((line) => line.trim() !== "").slice(0, MOST_LINES);
  for (const part of [text, ...lines]) {
    const record = parsed(part);
    if (record?.format === RECORD && Array.isArray(record.turns)) {
      const turns = record.turns.map((/** @type {{turn?: unknown}} */ each) => each?.turn);
      return openedGame(record, record.options ?? {}, turns);
    }
  }
  return null;
}

/** @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** @param {string} text */
function gameInSgf(text) {
  const game = readSgf(text);
  if (isOfGo(game)) {
    const { board, turns } = asFreeGo(game) ?? {};
    return turns ? openedGame({ game: "freego", board, rules: "official" }, {}, turns) : null;
  }
  const { GAME: name, BOARD: board, RU: rules } = game.facts;
  return openedGame({ game: name, board, rules }, game.options, turnsOf(game));
}

/**
 * Whether a text without a game for this page has one of Go.
 * @param {string} text
 */
export function hasGo(text) {
  return text.trimStart().startsWith("(") && isOfGo(readSgf(text));
}

/**
 * @param {{game?: unknown, board?: unknown, rules?: unknown}} setup
 * @param {Record<string, unknown>} options
 * @param {unknown[]} turns
 * @returns {OpenedGame | null}
 */
function openedGame({ game, board, rules }, options, turns) {
  const texts = Object.entries(options).map(([name, value]) => [name, String(value)]);
  const isKnown = turns.length <= MOST_TURNS &&
    [game, board, rules, ...texts.flat()].every((each) => fits(WORD, each)) &&
    turns.every((each) => fits(TURN, each));
  if (!isKnown) {
    return null;
  }
  const played = {
    ...{ game: String(game), board: String(board), rules: String(rules) },
    options: Object.fromEntries(texts),
  };
  return { played, tree: Tree.ofGame(turns.map(String)) };
}

/**
 * @param {RegExp} form
 * @param {unknown} text
 */
function fits(form, text) {
  return typeof text === "string" && form.test(text);
}
