/** What a lesson draws on a board besides its stones: marked cells, arrows, texts, lines of sight. */

import { centre } from "../board/marks.js";
import { STONE_RADIUS } from "../board/parts.js";
import { replace, svg } from "../shared/dom.js";

/** @import { Board } from "../board/board.js" */
/** @import { Point, Stones } from "../board/geometry.js" */
/** @import { Sight } from "../board/sight.js" */
/** @import { Notes } from "./lessons.js" */

const STYLES = /** @type {const} */ (["cells", "good", "bad"]);
/** How far an arrow stays away from the middle of its first and its last cell. */
const GAP = 0.3;
const HEAD = 0.22;

export class NotesLayer {
  /** Under the stones, and over them. */
  under = svg("g", { class: "notes", "aria-hidden": "true" });
  over = svg("g", { class: "notes", "aria-hidden": "true" });

  /**
   * @param {Board} board
   * @param {Sight | null} sight
   */
  constructor(board, sight) {
    this.board = board;
    this.sight = sight;
  }

  /**
   * @param {Notes} notes
   * @param {Stones} stones
   */
  show(notes, stones) {
    const at = (/** @type {string} */ name) => this.board.cells.get(name);
    const marked = STYLES.flatMap((style) => (notes[style] ?? []).map((name) => ({ style, name })));
    replace(
      this.under,
      marked.map(({ style, name }) =>
        svg("circle", { class: `spot ${style}`, ...centre(at(name)), r: STONE_RADIUS + 0.04 })
      ),
      (notes.rays ?? []).flatMap((name) => this.#rays(name, stones)),
    );
    replace(
      this.over,
      marked.map(({ style, name }) =>
        svg("circle", { class: `ring ${style}`, ...centre(at(name)), r: STONE_RADIUS + 0.06 })
      ),
      (notes.arrows ?? []).map(([from, to]) => arrow(at(from), at(to))),
      Object.entries(notes.labels ?? {}).map(([name, text]) =>
        label(at(name), text, stones[name] ?? [0, 0])
      ),
    );
  }

  /**
   * Lines to all that is seen from a cell.
   * @param {string} name
   * @param {Stones} stones
   */
  #rays(name, stones) {
    const from = this.board.cells.get(name);
    const seen = this.sight?.seen(name, stones) ?? [];
    return seen.map(({ point }) =>
      from && svg("path", { class: "ray", d: `M${from.x} ${from.y}L${point.x} ${point.y}` })
    );
  }
}

/**
 * @param {Point | undefined} from
 * @param {Point | undefined} to
 */
function arrow(from, to) {
  if (!from || !to) {
    return null;
  }
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const [dx, dy] = [(to.x - from.x) / length, (to.y - from.y) / length];
  const start = { x: from.x + GAP * dx, y: from.y + GAP * dy };
  const end = { x: to.x - GAP * dx, y: to.y - GAP * dy };
  const side = (/** @type {number} */ sign) => ({
    x: end.x - HEAD * dx + sign * HEAD * 0.7 * dy,
    y: end.y - HEAD * dy - sign * HEAD * 0.7 * dx,
  });
  const [left, right] = [side(1), side(-1)];
  const d = `M${start.x} ${start.y}L${end.x} ${end.y}` +
    `M${left.x} ${left.y}L${end.x} ${end.y}L${right.x} ${right.y}`;
  return svg("path", { class: "arrow", d });
}

/**
 * @param {Point | undefined} place
 * @param {string} text
 * @param {readonly [seat: number, kind: number]} on the stone there; zeros for an empty cell
 */
function label(place, text, [seat, kind]) {
  const { x, y } = place ?? { x: 0, y: 0 };
  return svg("text", { x, y, dy: "0.13", "data-on": seat, "data-kind": kind }, text);
}
