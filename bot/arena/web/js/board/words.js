/** The board in words, for screen readers. */

import { capital, counted, stoneColour } from "../shared/sentences.js";
import { isGazed } from "./sight.js";

/** @import { Board } from "./board.js" */
/** @import { Cell, Group, Stones } from "./geometry.js" */
/** @import { Picture } from "./picture.d.ts" */
/** @import { Rows } from "./rows.js" */
/** @import { Sight } from "./sight.js" */

export class BoardWords {
  /**
   * @param {Board} geometry
   * @param {string} noun what connected stones are called
   * @param {Sight | null} sight on a board with stars
   * @param {Rows | null} [rows] in a game of stones in a row
   */
  constructor(geometry, noun, sight, rows = null) {
    this.geometry = geometry;
    this.noun = noun;
    this.sight = sight;
    this.rows = rows;
  }

  /**
   * The stones that belong together in this game.
   * @param {Stones} stones
   * @returns {Group[]}
   */
  groups(stones) {
    return (this.sight ?? this.rows ?? this.geometry).groups(stones);
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
    if (this.rows) {
      return beside(cell, stones);
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
    if (this.rows) {
      return group.cells.length > 1 ? `row of ${group.cells.length}` : "single stone";
    }
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

/**
 * The stones next to an empty cell, for a board on which a cell's name says little.
 * @param {Cell} cell
 * @param {Stones} stones
 */
function beside(cell, stones) {
  const colours = cell.neighbours.flatMap((name) =>
    stones[name] ? [stoneColour(...stones[name])] : []
  );
  return [...new Set(colours)].map((colour) => {
    const count = colours.filter((each) => each === colour).length;
    return `next to ${counted(count, `${colour} stone`)}`;
  });
}
