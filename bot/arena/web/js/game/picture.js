/** What the board shows: a position, the stones that are chosen so far, an expected line. */

import { other } from "../shared/games.js";
import { imaginedStones } from "./evaluation.js";

/** @import { Picture } from "../board/picture.d.ts" */
/** @import { PositionView } from "../shared/wire.d.ts" */
/** @import { Imagined } from "./evaluation.js" */
/** @import { TurnInput } from "./turn_input.js" */

/**
 * @typedef {object} View
 * @property {PositionView} position
 * @property {boolean} live whether it is the newest one
 * @property {1 | 2} seat whose stones are being placed
 * @property {Imagined | null} imagined
 * @property {boolean} [bare] whether to leave out all help
 */

/**
 * @param {View} view
 * @param {TurnInput} input whose stones are not shown in the position that follows their turn
 * @returns {Picture}
 */
export function pictureOf({ position, live, seat, imagined, bare = false }, input) {
  const { draft, legal, phase } = input;
  const chooses = live && position !== input.played;
  const marks = bare ? {} : (chooses && input.drafted?.marks) || position.marks;
  const { line: turns, ply } = imagined ?? { line: [], ply: 0 };
  const line = imaginedStones(turns, ply, draft.kinds);
  const lost = position.last.filter((cell) => !(cell in position.stones));
  return {
    stones: position.stones,
    marks: Object.fromEntries(Object.entries(marks).filter(([cell]) => cell in position.stones)),
    last: position.last,
    captured: [...new Set([...position.captured, ...lost])],
    // A turn that loses its own stone has captured no other player's.
    loser: lost.length ? other(position.to_play) : position.to_play,
    pending: chooses ? draft.stones : [],
    bare,
    doomed: chooses && !bare ? (legal?.captured ?? []) : [],
    legal: chooses && !bare && phase === "choosing" ? input.open : null,
    seat,
    kind: draft.kind,
    line: line.filter(({ cell }) => !(cell in position.stones)),
  };
}
