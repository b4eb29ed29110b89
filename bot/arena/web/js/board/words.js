/** The board in words, for screen readers. */

import { capital, counted, stoneColour } from "../shared/sentences.js";
import { isGazed } from "./sight.js";

/** @import { Cell, Geometry, Group } from "./geometry.js" */
/** @import { Picture } from "./picture.d.ts" */
/** @import { Sight } from "./sight.js" */

export class BoardWords {
  /**
   * @param {Geometry} geometry
   * @param {string} noun what connected stones are called
   * @param {Sight | null} sight on a board with stars
   */
  constructor(geometry, noun, sight) {
    this.geometry = geometry;
    this.noun = noun;
    this.sight = sight;
  }

  /**
   * @param {Cell} cell
   * @param {Picture} picture
   * @param {Group | null} group the group of the stone on that cell
   */
  describeCell(cell, picture, group) {
    const words = [cell.name];
    const stone = picture.stones[cell.name];
    const pending = picture.pending.find((each) => each.cell === cell.name);
    if (stone && group) {
      const mark = picture.marks[cell.name];
      words.push(`${stoneColour(...stone)} stone`, ...(mark ? [mark] : []), this.#describe(group));
    } else if (pending) {
      words.push(`your ${stoneColour(picture.seat, pending.kind)} stone, not sent yet`);
    } else {
      words.push("empty", ...this.#outlook(cell, picture));
    }
    if (picture.last.includes(cell.name)) {
      words.push("last turn");
    }
    if (picture.captured.includes(cell.name)) {
      words.push("captured in the last turn");
    }
    return words.join(", ");
  }

  /**
   * What a stone on an empty cell would see or touch.
   * @param {Cell} cell
   * @param {Picture} picture
   */
  #outlook(cell, { stones }) {
    if (this.sight) {
      const stars = this.sight.seen(cell.name, stones).filter(isGazed);
      return [`${stars.length ? counted(stars.length, "star") : "no star"} to gaze at`];
    }
    return cell.blue.length ? [touching(cell.blue.length)] : [];
  }

  /** @param {Group} group */
  describeGroup(group) {
    return `${capital(stoneColour(group.seat, group.kind))}: ${this.#describe(group)}`;
  }

  /** @param {Group} group */
  #describe(group) {
    const stones = counted(group.cells.length, "stone");
    if (this.sight) {
      const gaze = group.stars.length ? counted(group.stars.length, "star") : "no star";
      const linked = group.cells.length > 1 ? " in sight of one another" : "";
      return `${stones}${linked}, gazing at ${gaze}`;
    }
    const about = this.geometry.blue.length
      ? touching(group.blue.length)
      : `${counted(group.free.length, "empty cell")} beside it`;
    return `${this.noun} of ${stones}, ${about}`;
  }
}

/** @param {number} count */
function touching(count) {
  return `touching ${count === 0 ? "no blue stone" : counted(count, "blue stone")}`;
}
