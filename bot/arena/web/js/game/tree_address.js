/** The address of an analysis board: what is played, and the tree. */

import { Tree } from "./turn_tree.js";

/** @import { AnalysisSetup } from "../shared/wire.d.ts" */

/** @typedef {Required<Pick<AnalysisSetup, "game">> & {board: string | null, rules: string | null, options: Record<string, string>}} Played */

/** What is played unless an address says otherwise. @type {Played} */
export const USUAL = { game: "bluestone", board: "pent-6", rules: null, options: {} };
const WORD = /^[A-Za-z0-9_.-]{1,40}$/;
const LONGEST = 16_000;

/**
 * The setup and the tree in the hash of an address; each is null if the hash lacks it.
 * @param {string} hash
 * @returns {{played: Played | null, tree: Tree | null}}
 */
export function readAddress(hash) {
  const fields = new Map(
    hash.slice(1, LONGEST).split("&").map((part) => {
      const [name, ...rest] = part.split("=");
      return [name, decoded(rest.join("="))];
    }),
  );
  const tree = fields.get("t");
  return { played: playedIn(fields), tree: tree === undefined ? null : Tree.parse(tree) };
}

/** @param {Map<string | undefined, string>} fields */
function playedIn(fields) {
  const game = word(fields.get("game"));
  if (game === null) {
    return null;
  }
  /** @type {Record<string, string>} */
  const options = {};
  for (const [name, value] of fields) {
    if (name?.startsWith("o.") && word(name.slice(2)) && word(value)) {
      options[name.slice(2)] = value;
    }
  }
  return { game, board: word(fields.get("board")), rules: word(fields.get("rules")), options };
}

/** @param {string | undefined} text */
function word(text) {
  return text !== undefined && WORD.test(text) ? text : null;
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

/**
 * The hash of an address.
 * @param {Played | null} played null if the path of the address names a game
 * @param {Tree | null} tree null if it is as in the game
 */
export function hashOf(played, tree) {
  const parts = [];
  if (played) {
    parts.push(`game=${played.game}`);
    played.board && parts.push(`board=${played.board}`);
    played.rules && parts.push(`rules=${played.rules}`);
    Object.entries(played.options).forEach(([name, value]) => parts.push(`o.${name}=${value}`));
  }
  if (tree) {
    parts.push(`t=${tree.text}`);
  }
  return parts.length ? `#${parts.join("&")}` : "";
}
