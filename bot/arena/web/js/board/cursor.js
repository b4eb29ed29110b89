/** Playing by keyboard: a cursor that moves between the cells of a board. */

/** @import { Direction } from "./geometry.js" */
/** @import { BoardView } from "./view.js" */

/** @type {Record<string, Direction>} */
const ARROWS = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right" };

export class BoardCursor {
  /**
   * @param {BoardView} view
   * @param {{choose: (cell: string) => void, undo: () => void}} actions
   */
  constructor(view, actions) {
    this.view = view;
    this.actions = actions;
    this.cell = view.geometry.middle();
    /** @type {{direction: Direction, x: number, y: number} | null} */
    this.lane = null;
    this.#place(this.cell);
    view.element.addEventListener("keydown", (event) => this.#press(event));
    view.element.addEventListener("focusin", (event) => this.#follow(event.target));
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const direction = ARROWS[event.key];
    if (direction) {
      this.#move(direction);
    } else if (event.key === "Enter" || event.key === " ") {
      this.actions.choose(this.cell);
    } else if (event.key === "Escape") {
      this.actions.undo();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {Direction} direction */
  #move(direction) {
    const { geometry } = this.view;
    if (!this.lane || upright(this.lane.direction) !== upright(direction)) {
      const here = geometry.cells.get(this.cell) ?? { x: 0, y: 0 };
      this.lane = { direction, x: here.x, y: here.y };
    }
    const { lane } = this;
    this.#place(this.view.step(this.cell, direction, lane));
    this.lane = lane;
    this.view.focus(this.cell);
  }

  /**
   * Move to a cell; the focus follows if it is on the board.
   * @param {string} cell
   */
  go(cell) {
    const follows = this.view.element.contains(document.activeElement);
    this.#place(cell);
    if (follows) {
      this.view.focus(cell);
    }
  }

  /** @param {EventTarget | null} target */
  #follow(target) {
    const cell = target instanceof Element ? target.getAttribute("data-cell") : null;
    if (cell && cell !== this.cell) {
      this.#place(cell);
    }
  }

  /** @param {string} cell */
  #place(cell) {
    this.view.targets.get(this.cell)?.setAttribute("tabindex", "-1");
    this.view.visit("cursor", cell);
    this.view.targets.get(cell)?.setAttribute("tabindex", "0");
    this.cell = cell;
    this.lane = null;
  }
}

/** @param {Direction} direction */
function upright(direction) {
  return direction === "up" || direction === "down";
}
