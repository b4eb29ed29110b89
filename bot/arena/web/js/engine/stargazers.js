/** Stargazers' refusals, marks and scores (engine/games/stargazers/rules.py). */

/** @import { Seat } from "../shared/wire.d.ts" */
/** @import { BoardGame } from "./mechanics.d.ts" */

/** @type {BoardGame} */
export const STARGAZERS = {
  kinds: 1,
  hasPass: false,
  canonical: (turn) => turn,

  why(board, before, now, steps) {
    if (before.get("over")) {
      return "game-over";
    }
    if (steps.length === 1 && now.get("step") === 1) {
      return "two-stones";
    }
    const [step = 0] = steps.slice(-1);
    if (before.field("cells")[step]) {
      return "occupied";
    }
    const isSingle = before.get("turn") === 1 || board.get("stones_a_turn") === 1;
    if (steps.length === 2 && isSingle) {
      return "one-stone";
    }
    if (steps[0] === steps[1]) {
      return "same-cell";
    }
    return now.get("over") ? "one-stone" : "uninspired-cell";
  },

  stone: (content) => [/** @type {Seat} */ (content), 1],

  captured: () => [],

  marks(state) {
    const [cells, labels, views] = ["cells", "label", "views"].map((name) => state.field(name));
    const marked = [...cells?.keys() ?? []].filter((cell) => {
      return cells?.[cell] !== 0 && views?.[Number(labels?.[cell])] === 0;
    });
    return new Map(marked.map((cell) => [cell, "uninspired"]));
  },

  scores(state) {
    const [one, two] = state.field("uninspired");
    return [[Number(one)], [Number(two)]];
  },
};
