/** The board in words, for screen readers. */

import { hasMessage, t } from "../shared/messages.js";
import { capital, stoneColour, stoneTitle } from "../shared/sentences.js";
import { isGazed } from "./sight.js";

/** @import { Cell, Geometry, Group, Stones } from "./geometry.js" */
/** @import { Lattice } from "./lattice.js" */
/** @import { Picture } from "./picture.d.ts" */
/** @import { Rows } from "./rows.js" */
/** @import { Sight } from "./sight.js" */

export class BoardWords {
  /**
   * @param {Geometry | Lattice} geometry
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
      const about = picture.bare ? [] : [this.#describe(group)];
      words.push(stoneTitle(...stone), ...(mark ? [markTitle(mark)] : []), ...about);
    } else if (pending) {
      words.push(t("game.cell.pending", { stone: stoneTitle(picture.seat, pending.kind) }));
    } else {
      words.push(t("game.cell.empty"), ...(picture.bare ? [] : this.#outlook(cell, picture)));
    }
    if (picture.last.includes(cell.name)) {
      words.push(t("game.cell.last"));
    }
    if (picture.captured.includes(cell.name)) {
      words.push(t("game.cell.captured"));
    }
    return words.join(", ");
  }

  /**
   * The cells whose words a new picture may change. In a game of stones in a row the board may have
   * thousands of cells, and an empty one is only about the stones next to it.
   * @param {Picture | null} before
   * @param {Picture} after
   * @returns {Set<string> | null} null: all cells
   */
  changedBy(before, after) {
    if (!this.rows || !before) {
      return null;
    }
    const named = [before, after].flatMap(({ stones, pending, last, captured }) => [
      ...Object.keys(stones),
      ...pending.map(({ cell }) => cell),
      ...last,
      ...captured,
    ]);
    const differs = (/** @type {string} */ name) =>
      String(before.stones[name]) !== String(after.stones[name]);
    const beside = [...new Set(named)].filter(differs)
      .flatMap((name) => this.geometry.cells.get(name)?.neighbours ?? []);
    return new Set([...named, ...beside]);
  }

  /**
   * What a stone on an empty cell would see or touch.
   * @param {Cell} cell
   * @param {Picture} picture
   */
  #outlook(cell, { stones }) {
    if (this.sight) {
      const stars = this.sight.seen(cell.name, stones).filter(isGazed);
      return [
        stars.length ? t("game.cell.stars", { n: stars.length }) : t("game.cell.no_star"),
      ];
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
    const n = group.cells.length;
    if (this.rows) {
      return n > 1 ? t("game.group.row", { length: n }) : t("game.group.single");
    }
    if (this.sight) {
      const gaze = group.stars.length
        ? t("game.group.stars", { n: group.stars.length })
        : t("game.group.no_star");
      return `${t("game.group.linked", { n })}, ${gaze}`;
    }
    const about = this.geometry.blue.length
      ? touching(group.blue.length)
      : freedom(this.noun, group.free.length);
    return `${t(`game.group.${this.noun}`, { n })}, ${about}`;
  }
}

/**
 * @param {string} noun
 * @param {number} n how many empty cells are beside the group
 */
function freedom(noun, n) {
  const own = `game.group.free_${noun}`;
  return hasMessage(own) ? t(`game.group.free_${noun}`, { n }) : t("game.group.free", { n });
}

/** @param {number} count */
function touching(count) {
  return count === 0 ? t("game.group.no_blue") : t("game.group.blue", { n: count });
}

/** A word of the game about a stone, such as `uninspired`. @param {string} mark */
function markTitle(mark) {
  return hasMessage(`game.mark.${mark}`) ? t(`game.mark.${mark}`) : mark;
}

/**
 * The stones next to an empty cell, for a board on which a cell's name says little.
 * @param {Cell} cell
 * @param {Stones} stones
 */
function beside(cell, stones) {
  const occupied = cell.neighbours.filter((name) => name in stones);
  const colours = occupied.flatMap((name) => stones[name]?.join("_") ?? []);
  return [...new Set(colours)].map((colour) => {
    const n = colours.filter((each) => each === colour).length;
    return t(`game.next_to.${colour}`, { n });
  });
}
