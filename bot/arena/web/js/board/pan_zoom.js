/** Moves the view of a board without an end: by hand, wheel, keys and buttons, and to new stones. */

import { Signal } from "../shared/signal.js";
import { Camera } from "./camera.js";

/** @import { Look } from "./camera.js" */
/** @import { Point } from "./geometry.js" */
/** @import { Lattice } from "./lattice.js" */

/** @typedef {"in" | "out" | "whole" | "last"} Move */

const ZOOM = 1.35;
const GLIDE_MS = 240;
/** How far a pointer moves, in pixels, before a press becomes a drag. */
const SLACK = { mouse: 4, touch: 10 };
/** A line of a wheel in pixels, for browsers that count in lines. */
const LINE = 16;
/** Cells that the keyboard visits keep this distance from the edge of the view. */
const MARGIN = 1.5;

export class PanZoom {
  /** @type {Signal<Camera>} the view shows another part of the board */
  moved = new Signal();
  camera = new Camera();
  /** A cell of the last turn that has not been seen yet. @type {string | null} */
  unseen = null;
  /**
   * What the view follows: the whole game as long as its cells can be hit, the whole game in any
   * case, or nothing, after a person has moved it.
   * @type {"game" | "whole" | "hand"}
   */
  #mode = "game";
  #laidOut = false;
  /** @type {string[]} */
  #stones = [];
  /** @type {string[]} */
  #last = [];
  /** Pressed pointers: where they are. @type {Map<number, Point>} */
  #pointers = new Map();
  #pressed = { x: 0, y: 0 };
  /** Whether the present press has moved the board, and is no click. */
  #dragged = false;
  /** The running animation. */
  #glide = 0;

  /**
   * @param {SVGSVGElement} element the board
   * @param {Lattice} lattice
   */
  constructor(element, lattice) {
    this.element = element;
    this.lattice = lattice;
    new ResizeObserver(() => this.#measure()).observe(element);
    element.addEventListener("pointerdown", (event) => this.#press(event));
    element.addEventListener("pointermove", (event) => this.#drag(event));
    for (const ending of /** @type {const} */ (["pointerup", "pointercancel"])) {
      element.addEventListener(ending, (event) => this.#pointers.delete(event.pointerId));
    }
    element.addEventListener("click", (event) => this.#click(event), { capture: true });
    element.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    element.addEventListener("focusin", (event) => this.#reveal(event.target));
  }

  /**
   * Show another position. The view stays where it is, unless it follows the game and a stone of the
   * last turn is outside.
   * @param {string[]} stones
   * @param {string[]} last the cells of the last turn
   * @param {boolean} isNew whether it is another position than before
   */
  follow(stones, last, isNew) {
    this.#stones = stones;
    this.#last = last;
    this.camera.bounds = this.lattice.box(stones, this.lattice.reach);
    if (this.#laidOut && isNew) {
      this.unseen = last.find((name) => !this.#sees(name)) ?? null;
      if (this.unseen !== null && this.#mode !== "hand") {
        this.#to(this.#followed);
      }
      this.moved.emit(this.camera);
    }
  }

  /** @param {Move} move */
  press(move) {
    switch (move) {
      case "in":
      case "out":
        this.#mode = "hand";
        this.#to(this.camera.zoomed(move === "in" ? ZOOM : 1 / ZOOM));
        break;
      case "whole":
        this.#mode = "whole";
        this.#to(this.#followed);
        break;
      case "last":
        this.#mode = "hand";
        this.#to(this.camera.near(this.#centreOf(this.#last)));
        break;
    }
  }

  /** A cell of the last turn; undefined before the first one. */
  get lastCell() {
    return this.#last.at(-1);
  }

  /** What the view would show if nobody had moved it. */
  get #followed() {
    const box = this.lattice.box(this.#stones);
    return this.#mode === "whole"
      ? this.camera.whole(box)
      : this.camera.handy(box, this.#centreOf(this.#last));
  }

  /** @param {string[]} names */
  #centreOf(names) {
    const { x, y, width, height } = this.lattice.box(names);
    return { x: x + width / 2, y: y + height / 2 };
  }

  /** @param {string} name */
  #sees(name) {
    const cell = this.lattice.cells.get(name);
    return !cell || this.camera.sees(cell, 0.5);
  }

  #measure() {
    const { width, height } = this.element.getBoundingClientRect();
    if (width > 0 && height > 0) {
      Object.assign(this.camera, { width, height });
      this.#set(this.#mode === "hand" ? this.camera.look : this.#followed);
      this.#laidOut = true;
    }
  }

  /** @param {Look} look */
  #set(look) {
    this.camera.look = look;
    const { x, y, width, height } = this.camera.box;
    this.element.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
    if (this.unseen !== null && this.#sees(this.unseen)) {
      this.unseen = null;
    }
    this.moved.emit(this.camera);
  }

  /**
   * Glide there, or jump if the person's system asks for less motion.
   * @param {Look} look
   */
  #to(look) {
    cancelAnimationFrame(this.#glide);
    if (!this.#laidOut) {
      // Without a size nothing can be shown as a whole; the first measuring does that.
      if (this.#mode === "hand") {
        this.camera.look = look;
      }
      return;
    }
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
      this.#set(look);
      return;
    }
    const from = this.camera.look;
    const begin = performance.now();
    const frame = (/** @type {number} */ now) => {
      const part = Math.min(1, Math.max(0, now - begin) / GLIDE_MS);
      const eased = 1 - (1 - part) ** 3;
      const between = (/** @type {"x" | "y"} */ axis) =>
        from[axis] + eased * (look[axis] - from[axis]);
      const scale = from.scale * (look.scale / from.scale) ** eased;
      this.#set(part === 1 ? look : { x: between("x"), y: between("y"), scale });
      if (part < 1) {
        this.#glide = requestAnimationFrame(frame);
      }
    };
    this.#glide = requestAnimationFrame(frame);
  }

  /**
   * Show at once what a hand does.
   * @param {Look} look
   */
  #by(look) {
    cancelAnimationFrame(this.#glide);
    this.#mode = "hand";
    this.#set(look);
  }

  /** @param {PointerEvent} event */
  #press(event) {
    if (event.button !== 0) {
      return;
    }
    if (this.#pointers.size === 0) {
      this.#dragged = false;
      this.#pressed = { x: event.clientX, y: event.clientY };
    }
    this.#pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  }

  /** @param {PointerEvent} event */
  #drag(event) {
    const before = this.#pointers.get(event.pointerId);
    if (!before) {
      return;
    }
    const now = { x: event.clientX, y: event.clientY };
    const [other] = [...this.#pointers].flatMap(([id, at]) => (id === event.pointerId ? [] : [at]));
    const slack = event.pointerType === "mouse" ? SLACK.mouse : SLACK.touch;
    if (!other && !this.#dragged && apart(now, this.#pressed) < slack) {
      return;
    }
    this.#pointers.set(event.pointerId, now);
    if (!this.#dragged) {
      this.#dragged = true;
      // From here on the pointer may leave the board.
      [...this.#pointers.keys()].forEach((id) => this.element.setPointerCapture(id));
    }
    this.#by(
      this.camera.moved((now.x - before.x) / (other ? 2 : 1), (now.y - before.y) / (other ? 2 : 1)),
    );
    if (other) {
      const middle = this.#inside({ x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 });
      this.#by(this.camera.zoomed(apart(now, other) / Math.max(1, apart(before, other)), middle));
    }
  }

  /**
   * The end of a drag is no click on a cell.
   * @param {MouseEvent} event
   */
  #click(event) {
    if (this.#dragged) {
      this.#dragged = false;
      event.stopPropagation();
    }
  }

  /** @param {WheelEvent} event */
  #wheel(event) {
    event.preventDefault();
    const pixels = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : LINE);
    // Two fingers on a touchpad that pinch arrive as small steps of a wheel with the control key.
    const factor = Math.exp(-pixels * (event.ctrlKey ? 0.01 : 0.0015));
    this.#by(this.camera.zoomed(factor, this.#inside({ x: event.clientX, y: event.clientY })));
  }

  /**
   * A place on the screen as a place of the view.
   * @param {Point} at
   */
  #inside({ x, y }) {
    const { left, top } = this.element.getBoundingClientRect();
    return { x: x - left, y: y - top };
  }

  /**
   * Keep the cell of the keyboard in the view.
   * @param {EventTarget | null} target
   */
  #reveal(target) {
    const name = target instanceof Element ? target.getAttribute("data-cell") : null;
    const cell = name === null ? undefined : this.lattice.cells.get(name);
    if (cell && this.#pointers.size === 0 && !this.camera.sees(cell, 0.6)) {
      this.#mode = "hand";
      this.#to(this.camera.reaching(cell, MARGIN));
    }
  }
}

/**
 * @param {Point} one
 * @param {Point} two
 */
function apart(one, two) {
  return Math.hypot(one.x - two.x, one.y - two.y);
}
