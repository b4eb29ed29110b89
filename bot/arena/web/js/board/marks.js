/** Marks on single cells, apart from the stones. */

import { svg } from "../shared/dom.js";
import { stone, STONE_RADIUS } from "./parts.js";

/** @import { Cell, Point } from "./geometry.js" */

/**
 * The attributes of a circle around a point.
 * @param {Point | undefined} point
 */
export function centre(point) {
  return { cx: point?.x ?? 0, cy: point?.y ?? 0 };
}

/** @param {Cell} cell */
export function nameOf(cell) {
  return svg("text", { x: cell.x, y: cell.y, dy: "0.1" }, cell.name);
}

/**
 * The mark of a captured stone.
 * @param {Cell | undefined} cell
 * @param {number} seat whose it was
 */
export function ghost(cell, seat) {
  const ring = svg("circle", { ...centre(cell), r: STONE_RADIUS - 0.04 });
  return svg("g", { class: `ghost seat-${seat}` }, ring, cross(cell, "gone"));
}

/**
 * @param {Cell | undefined} cell
 * @param {string} name its class
 */
export function cross(cell, name) {
  const { cx, cy } = centre(cell);
  const arm = 0.13;
  const d = `M${cx - arm} ${cy - arm}l${2 * arm} ${2 * arm}m0 ${-2 * arm}l${-2 * arm} ${2 * arm}`;
  return svg("path", { class: name, d });
}

/**
 * A stone that is chosen and not sent yet.
 * @param {Cell | undefined} cell
 * @param {number} seat
 * @param {number} kind
 */
export function pendingStone(cell, seat, kind) {
  return cell ? stone(cell, seat, kind, "pending") : null;
}

/**
 * A stone of a line of play that a bot expects.
 * @param {Cell | undefined} cell
 * @param {{seat: number, kind: number, number: number | null}} imagined `number`: its turn in the line
 */
export function imaginedStone(cell, { seat, kind, number }) {
  const body = svg("circle", { class: "body", ...centre(cell), r: STONE_RADIUS - 0.05 });
  const label = svg("text", { x: cell?.x ?? 0, y: cell?.y ?? 0, dy: "0.13" }, number ?? "");
  return svg("g", { class: `imagined seat-${seat} kind-${kind}` }, body, label);
}

/**
 * The mark for a word of the game on a stone, such as `uninspired`: a line through the stone. A stone
 * that is `dead` has two.
 * @param {Cell | undefined} cell
 * @param {number} seat whose stone it is
 * @param {string} word
 */
export function wordMark(cell, seat, word) {
  const { cx, cy } = centre(cell);
  const reach = STONE_RADIUS * Math.SQRT1_2;
  const line = `M${cx - reach} ${cy + reach}l${2 * reach} ${-2 * reach}`;
  const d = word === "dead" ? `${line}m0 ${2 * reach}l${-2 * reach} ${-2 * reach}` : line;
  return svg("path", { class: `word seat-${seat}`, "data-word": word, d });
}
