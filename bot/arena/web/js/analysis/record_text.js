/** Games in texts of other programs: records as JSON or SGF, and links to an analysis. */

import { readAddress } from "../game/tree_address.js";
import { Tree } from "../game/turn_tree.js";

/** @import { Played } from "../game/tree_address.js" */

/** @typedef {{played: Played, tree: Tree}} OpenedGame */

/** What `bluestone records` and the arena write (docs/records.md). */
const RECORD = "bluestone-record-1";
const WORD = /^[A-Za-z0-9_.-]{1,40}$/;
const TURN = /^[A-Za-z0-9.:,-]{1,40}$/;
/** A property of SGF with its values, or the begin of a node. */
const SGF = /;|([A-Z]+)((?:\s*\[(?:\\[^]|[^\\\]])*\])+)/g;
const VALUE = /\[((?:\\[^]|[^\\\]])*)\]/g;

/**
 * The first game in a text; null if there is none. The rules have not judged its turns yet.
 * @param {string} text
 * @returns {OpenedGame | null}
 */
export function gameIn(text) {
  const [, hash] = /(#\S*game=\S+)/.exec(text) ?? [];
  if (hash) {
    const { played, tree } = readAddress(hash);
    return played && { played, tree: tree ?? new Tree() };
  }
  return text.trimStart().startsWith("(") ? gameInSgf(text) : gameInJson(text);
}

/** @param {string} text */
function gameInJson(text) {
  for (const part of [text, ...text.split("\n")]) {
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

/** The main line of the first game. @param {string} text */
function gameInSgf(text) {
  /** @type {Record<string, string>} */
  const facts = {};
  /** @type {Record<string, string>} */
  const options = {};
  /** @type {string[]} */
  const turns = [];
  let nodes = 0;
  for (const [whole, name = "", values = ""] of text.matchAll(SGF)) {
    nodes += Number(whole === ";");
    const all = [...values.matchAll(VALUE)].map(([, value = ""]) =>
      value.replace(/\\([^])/g, "$1")
    );
    const [value = ""] = all;
    if (nodes > 1 && name === "FF") {
      break; // the next game of the file
    } else if (name === "OPTION") {
      all.map((each) => each.split("=")).forEach(([key = "", word = ""]) => options[key] = word);
    } else if (name === "B" || name === "W") {
      turns.push(value);
    } else {
      facts[name] ??= value;
    }
  }
  const { GAME: game, BOARD: board, RU: rules } = facts;
  return openedGame({ game, board, rules }, options, turns);
}

/**
 * @param {{game?: unknown, board?: unknown, rules?: unknown}} setup
 * @param {Record<string, unknown>} options
 * @param {unknown[]} turns
 * @returns {OpenedGame | null}
 */
function openedGame({ game, board, rules }, options, turns) {
  const texts = Object.entries(options).map(([name, value]) => [name, String(value)]);
  const isKnown = [game, board, rules, ...texts.flat()].every((each) => fits(WORD, each)) &&
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
