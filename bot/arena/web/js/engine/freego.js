/** Free Go's refusals, captures and scores (engine/games/freego/rules.py). */

/** @import { Seat } from "../shared/wire.d.ts" */
/** @import { BoardGame } from "./mechanics.d.ts" */

/** @type {BoardGame} */
export const FREEGO = {
  kinds: 1,
  hasPass: false,
  canonical: (turn) => turn,

  why(_board, before, _now, steps) {
    const [last = 0] = steps.slice(-1);
    if (before.get("over")) {
      return "game-over";
    }
    if (before.field("cells")[last]) {
      return "occupied";
    }
    return steps.length === 2 ? "one-stone" : "ko";
  },

  stone: (content) => [/** @type {Seat} */ (content), 1],

  captured(before, after) {
    const [old, now] = [before.field("cells"), after.field("cells")];
    const placed = Number(after.field("placed")[Number(before.get("player")) - 1]);
    const isPlayed = Number(after.get("turn")) > Number(before.get("turn"));
    return [...old.keys()].filter((cell) =>
      now[cell] === 0 && (old[cell] !== 0 || (isPlayed && cell === placed))
    );
  },

  marks: () => new Map(),

  scores(state) {
    const [one, two] = state.field("captured");
    return [[Number(one)], [Number(two)]];
  },
};
