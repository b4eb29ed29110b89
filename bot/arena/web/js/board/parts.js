/** The parts of a board's picture: surface, lines, blue stones, stars, stones and their shading. */

import { svg } from "../shared/dom.js";
import { Geometry } from "./geometry.js";

/** @import { Board } from "./board.js" */
/** @import { Point } from "./geometry.js" */

export const STONE_RADIUS = 0.43;
export const BLUE_RADIUS = 0.25;
const STAR_RADIUS = 0.36;
const STAR_POINTS = 5;
const KIND_RING_RADIUS = 0.27;
const DOT_RADIUS = 0.11;

/**
 * @param {Point[]} points
 */
function closedPath(points) {
  return `M${points.map((point) => `${rounded(point.x)} ${rounded(point.y)}`).join("L")}Z`;
}

/** @param {number} number */
export function rounded(number) {
  return Math.round(number * 1000) / 1000;
}

/**
 * The plate under the board. Its thick stroke makes the margin and the round corners.
 * @param {Point[]} points what is drawn on it
 */
export function surface(points) {
  const outline = Geometry.hull(points);
  return svg("path", { class: "surface", d: closedPath(outline) });
}

/**
 * The lines of the board. Those to stars look like those between cells: stones see along both.
 * @param {Geometry} geometry
 */
export function lines(geometry) {
  const between = geometry.edges.map(([a, b]) => [geometry.list[a], geometry.list[b]]);
  const toStars = geometry.stars.flatMap((star) =>
    geometry.around(star).map((place) => [star, place])
  );
  const path = [...between, ...toStars]
    .map((
      [a, b],
    ) => (a && b ? `M${rounded(a.x)} ${rounded(a.y)}L${rounded(b.x)} ${rounded(b.y)}` : ""))
    .join("");
  return svg("path", { class: "lines", d: path });
}

/** @param {Geometry} geometry */
export function dots(geometry) {
  return geometry.dots.map(({ x, y }) =>
    svg("circle", { class: "dot", cx: x, cy: y, r: DOT_RADIUS })
  );
}

/** @param {Geometry} geometry */
export function labels(geometry) {
  return geometry.labels.map(({ text, x, y }) => svg("text", { class: "label", x, y }, text));
}

/**
 * @param {Point} place
 * @param {number} [radius]
 */
export function star({ x, y }, radius = STAR_RADIUS) {
  const corners = Array.from({ length: 2 * STAR_POINTS }, (_, index) => {
    const far = index % 2 === 0 ? radius : radius * 0.45;
    const angle = (index / STAR_POINTS - 0.5) * Math.PI;
    return { x: x + far * Math.cos(angle), y: y + far * Math.sin(angle) };
  });
  return svg("path", { class: "star", d: closedPath(corners) });
}

/**
 * Blue stone number `index` with its links to the cells that it touches.
 * @param {Board} geometry
 * @param {number} index
 */
export function blueStone(geometry, index) {
  const stone = geometry.blue[index];
  if (!stone) {
    throw new RangeError(`no blue stone ${index}`);
  }
  const { x, y } = stone;
  const links = stone.touches.map((name) => {
    const cell = geometry.cells.get(name);
    const d = cell ? `M${rounded(x)} ${rounded(y)}L${rounded(cell.x)} ${rounded(cell.y)}` : "";
    return svg("path", { class: "link", "data-to": name, d });
  });
  return svg(
    "g",
    { class: "blue", "data-blue": index },
    links,
    svg("circle", { class: "halo", cx: x, cy: y, r: BLUE_RADIUS + 0.12 }),
    svg("circle", { class: "gem", cx: x, cy: y, r: BLUE_RADIUS }),
  );
}

/** Gradients for the stones; their colours come from the style sheet. */
export function shading() {
  const gradient = (/** @type {string} */ id) =>
    svg(
      "radialGradient",
      { id, cx: "36%", cy: "30%", r: "78%" },
      svg("stop", { offset: "0%", class: `${id}-light` }),
      svg("stop", { offset: "100%", class: `${id}-deep` }),
    );
  const shades = ["shade-1", "shade-2", "shade-1-kind-2", "shade-2-kind-2", "shade-blue"];
  return svg("defs", {}, shades.map(gradient));
}

/**
 * A stone with its shadow. One of the second kind has a ring, which can be recognised without colours.
 * @param {Point} place
 * @param {number} seat
 * @param {number} kind
 * @param {string} extra further class names
 */
export function stone(place, seat, kind, extra = "") {
  const { x, y } = place;
  return svg(
    "g",
    { class: `stone seat-${seat} kind-${kind} ${extra}`.trim() },
    svg("circle", { class: "shadow", cx: x, cy: y + 0.045, r: STONE_RADIUS }),
    svg("circle", { class: "body", cx: x, cy: y, r: STONE_RADIUS }),
    kind > 1 && svg("circle", { class: "kind-ring", cx: x, cy: y, r: KIND_RING_RADIUS }),
  );
}
