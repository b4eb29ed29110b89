/** The board in words, for those who hear it. */

import { COLOURS, counted } from "./sentences.js";

/** @typedef {import("./geometry.js").Cell} Cell */
/** @typedef {import("./geometry.js").Group} Group */

/**
 * @param {Cell} cell
 * @param {import("./board_view.js").Picture} picture
 * @param {Group | null} group the group whose stone stands there
 */
export function describeCell(cell, picture, group) {
  const words = [cell.name];
  const seat = picture.stones[cell.name]?.[0];
  if (seat && group) {
    words.push(`${COLOURS[seat]} stone`, describeGroup(group));
  } else if (picture.pending.includes(cell.name)) {
    words.push("your stone, not sent yet");
  } else {
    words.push("empty", ...(cell.blue.length ? [touching(cell.blue.length)] : []));
  }
  if (picture.last.includes(cell.name)) {
    words.push("last turn");
  }
  if (picture.captured.includes(cell.name)) {
    words.push("captured in the last turn");
  }
  return words.join(", ");
}

/** @param {Group} group */
export function describeGroup(group) {
  return `group of ${counted(group.cells.length, "stone")}, ${touching(group.blue.length)}`;
}

/** @param {number} count */
function touching(count) {
  return `touching ${count === 0 ? "no blue stone" : counted(count, "blue stone")}`;
}
