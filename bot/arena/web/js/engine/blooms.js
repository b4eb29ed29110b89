/** Blooms' refusals, captures and scores (engine/games/blooms/rules.py). */

/** @import { BoardGame } from "./mechanics.d.ts" */

/** @type {BoardGame} */
export const BLOOMS = {
  kinds: 2,
  hasPass: false,
  canonical: (turn) => turn.split(",").toSorted().join(","),

  why(_board, before, _now, steps) {
    const [first, last = first] = steps.map((step) => Math.floor(step / 2));
    if (before.get("over")) {
      return "game-over";
    }
    if (before.field("cells")[last ?? 0]) {
      return "occupied";
    }
    if (before.get("turn") === 1) {
      return "one-stone";
    }
    return first === last ? "same-cell" : "same-colour";
  },

  stone: (content) => [content > 2 ? 2 : 1, content % 2 === 0 ? 2 : 1],

  captured(before, after) {
    const [old, now] = [before.field("cells"), after.field("cells")];
    return [...old.keys()].filter((cell) => old[cell] !== 0 && now[cell] === 0);
  },

  marks: () => new Map(),

  scores(state) {
    const [one, two] = state.field("captured");
    return [[Number(one)], [Number(two)]];
  },
};
