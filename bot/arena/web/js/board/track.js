/**
 * The scoring track: fields around the board on which the players' captured stones are counted, as on
 * drawn boards (bot/drawing/track.py).
 */

import { replace, setAttributes, svg } from "../shared/dom.js";
import { Geometry } from "./geometry.js";
import { rounded, STONE_RADIUS } from "./parts.js";

/** @import { Point } from "./geometry.js" */
/** @import { BoardView } from "./view.js" */

/** What the scores of a game count that has a track. */
const CAPTURES = "captures";
/** With more captures, fields count for several. The field of 0 is one more. */
const MOST_FIELDS = 60;
const STEPS = [1, 2, 5, 10, 20];
/** Every fifth field has its number. */
const NUMBERED = 5;
/** Between the stones at the edge and the fields. */
const GAP = 0.15;
/** Larger boards are drawn smaller, and need larger fields. */
const [LEAST_RADIUS, RADIUS_OF_EXTENT] = [0.3, 0.03];
/** The largest radii, as parts of the distance between two fields. */
const [FIELD, MARKER] = [0.42, 0.5];
/** How many radii of a field its number may be long, if its digits were as wide as high. */
const DIGITS = 3;
/** Of the usual size. */
const LEAST_LETTERS = 0.7;
/** Outside the fields. */
const RIM = 0.1;

/**
 * @typedef {object} Track
 * @property {Point[]} outline of the board
 * @property {number[]} captures of each field, from 0 to the goal
 * @property {Point[]} places the centres of the fields
 * @property {number} field the radius of a field
 * @property {number} marker the radius of a marker
 * @property {number} letters the size of numbers
 * @property {number} reach how far the track extends from the outline
 */

/**
 * @param {Point[]} points of the board
 * @param {number} goal how many captured stones win
 * @returns {Track}
 */
export function trackAround(points, goal) {
  const outline = fromUpperLeft(Geometry.hull(points));
  const captures = fieldsTo(goal);
  const largest = Math.max(LEAST_RADIUS, RADIUS_OF_EXTENT * extent(outline));
  const away = STONE_RADIUS + GAP + largest;
  const length = sidesOf(outline).reduce((sum, side) => sum + side.length, 0) + 2 * Math.PI * away;
  const apart = length / captures.length;
  return {
    outline,
    captures,
    places: walk(outline, away, apart, captures.length),
    field: Math.min(largest, FIELD * apart),
    marker: Math.min(largest, MARKER * apart),
    letters: largest,
    reach: away + largest + RIM,
  };
}

/**
 * The size of the digits of a number, so that it fits into its field.
 * @param {Track} track
 * @param {number} count
 */
export function lettersOf({ letters, field }, count) {
  const fitting = DIGITS * field / String(count).length;
  return Math.max(LEAST_LETTERS * letters, Math.min(letters, fitting));
}

/** @param {number} goal */
function fieldsTo(goal) {
  const step = STEPS.find((each) => goal <= each * MOST_FIELDS) ?? Math.ceil(goal / MOST_FIELDS);
  const count = Math.ceil(goal / step);
  return [...Array.from({ length: count }, (_, index) => index * step), goal];
}

/** @param {Point[]} outline */
function extent(outline) {
  const [xs, ys] = [outline.map(({ x }) => x), outline.map(({ y }) => y)];
  return Math.max(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys));
}

/**
 * Let the outline begin at its highest corner, the left one of several.
 * @param {Point[]} outline
 */
function fromUpperLeft(outline) {
  const height = (/** @type {Point} */ { y }) => Math.round(y * 1e6);
  const [first] = outline.toSorted((a, b) => height(a) - height(b) || a.x - b.x);
  const start = first ? outline.indexOf(first) : 0;
  return [...outline.slice(start), ...outline.slice(0, start)];
}

/**
 * The sides with their lengths, and the directions away from the board.
 * @param {Point[]} outline
 */
function sidesOf(outline) {
  return outline.map((from, index) => {
    const to = outline[(index + 1) % outline.length] ?? from;
    const length = Math.hypot(to.x - from.x, to.y - from.y);
    return { from, to, length, u: (to.y - from.y) / length, v: (from.x - to.x) / length };
  });
}

/**
 * Points that are this far from the outline and from each other, along the line.
 * @param {Point[]} outline
 * @param {number} away
 * @param {number} apart
 * @param {number} count
 */
function walk(outline, away, apart, count) {
  const sides = sidesOf(outline);
  /** @type {Point[]} */
  const places = [];
  let walked = 0;
  sides.forEach(({ from, to, length, u, v }, index) => {
    const next = sides[(index + 1) % sides.length] ?? { u, v };
    const turn = Math.atan2(u * next.v - v * next.u, u * next.u + v * next.v);
    const end = walked + length + turn * away;
    for (let at = places.length * apart; places.length < count && at < end; at += apart) {
      const part = Math.min((at - walked) / length, 1);
      const angle = Math.max(0, at - walked - length) / away;
      const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
      places.push({
        x: from.x + part * (to.x - from.x) + away * (u * cos - v * sin),
        y: from.y + part * (to.y - from.y) + away * (u * sin + v * cos),
      });
    }
    walked = end;
  });
  return places;
}

/** Draws a track around a board. */
export class TrackLayer {
  #markers = svg("g", { class: "markers" });
  #shown = "";

  /**
   * @param {BoardView} board
   * @param {Geometry} geometry of the board
   * @param {number} goal
   */
  constructor(board, geometry, goal) {
    this.board = board;
    this.geometry = geometry;
    this.track = trackAround(geometry.points, goal);
    const { outline, reach } = this.track;
    const d = `M${outline.map(({ x, y }) => `${rounded(x)} ${rounded(y)}`).join("L")}Z`;
    this.element = svg(
      "g",
      { class: "track", "aria-hidden": "true" },
      svg("path", { class: "track-ground", d, "stroke-width": 2 * reach }),
      this.#fields(),
      this.#markers,
    );
  }

  #fields() {
    const { captures, places, field } = this.track;
    const last = places.length - 1;
    return places.flatMap(({ x, y }, index) => [
      svg("circle", { class: index === last ? "field goal" : "field", cx: x, cy: y, r: field }),
      (index === last || (index % NUMBERED === 0 && last - index > 1)) &&
      this.#count(index, captures[index] ?? 0, "field-number"),
    ]);
  }

  /**
   * @param {number} field
   * @param {number} count
   * @param {string} style
   */
  #count(field, count, style) {
    const { x, y } = this.track.places[field] ?? { x: 0, y: 0 };
    const size = lettersOf(this.track, count);
    const text = svg("text", { class: `count ${style}`, x, y: y + 0.36 * size }, String(count));
    text.style.setProperty("font-size", `${size}px`);
    return text;
  }

  /** @param {[number[], number[]] | null} scores of both players; null: without a track */
  show(scores) {
    const { element } = this.board;
    const box = this.geometry.box(scores ? this.track.reach : undefined);
    setAttributes(element, { viewBox: `${box.x} ${box.y} ${box.width} ${box.height}` });
    if (!scores) {
      this.element.remove();
      return;
    }
    if (!this.element.parentNode) {
      element.prepend(this.element);
    }
    const captured = scores.map(([count = 0]) => count);
    if (String(captured) !== this.#shown) {
      this.#shown = String(captured);
      replace(this.#markers, this.#marked(captured));
    }
  }

  /**
   * Both markers: halves of a disc if they are on the same field.
   * @param {number[]} captured by each player
   */
  #marked(captured) {
    const { captures, places, marker } = this.track;
    const fields = captured.map((count) => captures.findLastIndex((each) => each <= count));
    const [one = 0, two = 0] = fields;
    const markers = captured.map((count, index) => {
      const field = fields[index] ?? 0;
      const { x, y } = places[field] ?? { x: 0, y: 0 };
      const half = `M${x} ${y - marker}A${marker} ${marker} 0 0 ${index} ${x} ${y + marker}Z`;
      return svg(
        "g",
        { class: `marker seat-${index + 1}`, "data-captured": count, "data-field": field },
        one === two ? svg("path", { d: half }) : svg("circle", { cx: x, cy: y, r: marker }),
        one !== two && this.#count(field, count, "on-marker"),
      );
    });
    const [mine = 0, theirs = 0] = captured;
    return [...markers, mine === theirs && this.#count(one, mine, "on-both")];
  }
}

/**
 * The track around a board; null in a game that does not count captured stones, and around a board
 * whose margin has the coordinates.
 * @param {BoardView} board
 * @param {{score: string, goal: number | null}} scoring
 */
export function trackOf(board, { score, goal }) {
  const { geometry } = board;
  const hasRoom = geometry instanceof Geometry && geometry.labels.length === 0;
  return hasRoom && score === CAPTURES && goal !== null
    ? new TrackLayer(board, geometry, goal)
    : null;
}
