/** Which part of a board without an end is seen, and at what size. Lengths are pixels or board units. */

/** @import { Point } from "./geometry.js" */
/** @import { Box } from "./lattice.js" */

/** @typedef {Point & {scale: number}} Look where the middle of the view is, and pixels per unit */

/** Bounds of the size of a cell, in pixels. */
const SMALLEST = 7;
const LARGEST = 110;
/** The smallest size of a cell that can be hit well. */
const HANDY = 24;

export class Camera {
  /** @type {Look} */
  look = { x: 0, y: 0, scale: 40 };
  /** The size of the view in pixels; 0 before it is laid out. */
  width = 0;
  height = 0;
  /** What the middle of the view must stay in. @type {Box} */
  bounds = { x: 0, y: 0, width: 0, height: 0 };

  /** What is seen. @returns {Box} */
  get box() {
    const { x, y, scale } = this.look;
    const [width, height] = [this.width / scale, this.height / scale];
    return { x: x - width / 2, y: y - height / 2, width, height };
  }

  /**
   * The point of the board at a place of the view.
   * @param {Point} at in pixels from the top left corner
   */
  point({ x, y }) {
    const { box, look } = this;
    return { x: box.x + x / look.scale, y: box.y + y / look.scale };
  }

  /**
   * The place of the view at a point of the board, in pixels.
   * @param {Point} point
   */
  place({ x, y }) {
    const { box, look } = this;
    return { x: (x - box.x) * look.scale, y: (y - box.y) * look.scale };
  }

  /**
   * Whether a point is seen, and not within a margin of the edge.
   * @param {Point} point
   * @param {number} [margin] in board units
   */
  sees(point, margin = 0) {
    const { x, y, width, height } = this.box;
    const inside = (/** @type {number} */ at, /** @type {number} */ size) =>
      at >= Math.min(margin, size / 2) && at <= size - Math.min(margin, size / 2);
    return inside(point.x - x, width) && inside(point.y - y, height);
  }

  /**
   * The look after a move of the board under the hand.
   * @param {number} dx in pixels
   * @param {number} dy
   * @returns {Look}
   */
  moved(dx, dy) {
    const { x, y, scale } = this.look;
    return this.#bounded({ x: x - dx / scale, y: y - dy / scale, scale });
  }

  /**
   * The look at another size, with the board under a place of the view kept there.
   * @param {number} factor
   * @param {Point} [at] in pixels; the middle by default
   * @returns {Look}
   */
  zoomed(factor, at = { x: this.width / 2, y: this.height / 2 }) {
    const kept = this.point(at);
    const least = Math.min(SMALLEST, this.look.scale); // a whole game may need still smaller cells
    const scale = Math.min(LARGEST, Math.max(least, this.look.scale * factor));
    const x = kept.x - (at.x - this.width / 2) / scale;
    const y = kept.y - (at.y - this.height / 2) / scale;
    return this.#bounded({ x, y, scale });
  }

  /**
   * The look at a whole box.
   * @param {Box} box
   * @returns {Look}
   */
  whole({ x, y, width, height }) {
    const scale = Math.min(this.width / width, this.height / height, LARGEST / 2);
    return { x: x + width / 2, y: y + height / 2, scale };
  }

  /**
   * The look at a whole box, or, if cells were too small there, at a point in it.
   * @param {Box} box
   * @param {Point} point
   * @returns {Look}
   */
  handy(box, point) {
    const all = this.whole(box);
    return all.scale >= HANDY ? all : { ...point, scale: HANDY };
  }

  /**
   * The look at a point, at a size at which cells can be hit.
   * @param {Point} point
   * @returns {Look}
   */
  near(point) {
    return { ...point, scale: Math.max(HANDY, this.look.scale) };
  }

  /**
   * The look that brings a point into the view by the shortest way.
   * @param {Point} point
   * @param {number} margin in board units
   * @returns {Look}
   */
  reaching(point, margin) {
    const { x, y, width, height } = this.box;
    const [dx, dy] = [width / 2 - margin, height / 2 - margin].map((each) => Math.max(0, each));
    const middle = { x: x + width / 2, y: y + height / 2 };
    return {
      x: clamp(middle.x, point.x - (dx ?? 0), point.x + (dx ?? 0)),
      y: clamp(middle.y, point.y - (dy ?? 0), point.y + (dy ?? 0)),
      scale: this.look.scale,
    };
  }

  /**
   * @param {Look} look
   * @returns {Look}
   */
  #bounded({ x, y, scale }) {
    const { bounds } = this;
    return {
      x: clamp(x, bounds.x, bounds.x + bounds.width),
      y: clamp(y, bounds.y, bounds.y + bounds.height),
      scale,
    };
  }
}

/**
 * @param {number} value
 * @param {number} low
 * @param {number} high
 */
function clamp(value, low, high) {
  return Math.min(high, Math.max(low, value));
}
