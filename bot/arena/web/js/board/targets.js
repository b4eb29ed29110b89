/** The cells of a board that can be pressed, and the names on them. */

import { setAttributes, svg } from "../shared/dom.js";
import { centre, nameOf } from "./marks.js";
import { STONE_RADIUS } from "./parts.js";

/** @import { Cell } from "./geometry.js" */
/** @import { Picture } from "./picture.d.ts" */

/** How far from its middle a cell can be pressed. */
const HIT_RADIUS = 0.56;

/** A cell is one element: a board without an end has thousands of them. */
export class CellTargets {
  /** How the next stone would look on the cell under the pointer. */
  #preview = svg("circle", { class: "preview", r: STONE_RADIUS });
  cells = svg("g", { class: "cells" }, this.#preview);
  /**
   * Not in the document unless a person wants them: even if they are hidden, thousands of texts take
   * 15 ms of layout whenever the view moves.
   */
  names = svg("g", { class: "names", "aria-hidden": "true" });
  /**
   * `shown`: what a cell shows, to change only cells that have changed. A turn changes few of
   * hundreds, and each attribute that is written costs style and layout.
   * @type {Map<string, {cell: Cell, target: SVGElement, label: Element, shown: string}>}
   */
  #made = new Map();
  /** The cell under the pointer. @type {string | null} */
  #pointed = null;
  /** The cell that a message is about. @type {string | null} */
  #accused = null;

  /**
   * Make targets for these cells, and for no others.
   * @param {readonly Cell[]} cells
   * @returns {Cell[]} those that had none before
   */
  lay(cells) {
    const names = new Set(cells.map(({ name }) => name));
    for (const [name, { target, label }] of this.#made) {
      if (!names.has(name)) {
        target.remove();
        label.remove();
        this.#made.delete(name);
      }
    }
    const added = cells.filter(({ name }) => !this.#made.has(name));
    for (const cell of added) {
      const made = { cell, target: targetOf(cell), label: nameOf(cell), shown: "" };
      this.cells.append(made.target);
      this.names.append(made.label);
      this.#made.set(cell.name, made);
    }
    return added;
  }

  /** The cells that have a target. */
  get all() {
    return [...this.#made.values()].map(({ cell }) => cell);
  }

  /** @param {string} name */
  get(name) {
    return this.#made.get(name)?.target;
  }

  /**
   * @param {Cell} cell
   * @param {Picture} picture
   * @param {string} words for screen readers
   */
  describe({ name }, picture, words) {
    const made = this.#made.get(name);
    if (!made) {
      return;
    }
    const open = picture.legal?.has(name) ?? false;
    const pending = picture.pending.find((each) => each.cell === name);
    const [seat, kind] = picture.stones[name] ?? (pending ? [picture.seat, pending.kind] : []);
    const isClosed = picture.legal !== null && !open && !pending;
    const shown = [open, isClosed, pending !== undefined, seat, kind, words].join();
    if (shown === made.shown) {
      return;
    }
    made.shown = shown;
    const { target, label } = made;
    target.classList.toggle("open", open);
    setAttributes(target, {
      "aria-label": words,
      "aria-disabled": isClosed ? "true" : null,
      "aria-pressed": pending ? "true" : null,
    });
    setAttributes(label, { "data-on": seat ?? 0, "data-kind": kind });
    if (name === this.#pointed) {
      this.point(name);
    }
  }

  /** @param {string | null} name the cell under the pointer */
  point(name) {
    this.#pointed = name;
    const made = this.#made.get(name ?? "");
    const isOpen = made?.target.classList.contains("open") ?? false;
    setAttributes(this.#preview, centre(made?.cell));
    this.#preview.classList.toggle("open", isOpen);
  }

  /** @param {string | null} name the cell that a message is about */
  accuse(name) {
    this.get(this.#accused ?? "")?.classList.remove("accused");
    this.get(name ?? "")?.classList.add("accused");
    this.#accused = name;
  }
}

/** @param {Cell} cell */
function targetOf(cell) {
  return svg("circle", {
    class: "cell",
    role: "button",
    tabindex: -1,
    "data-cell": cell.name,
    ...centre(cell),
    r: HIT_RADIUS,
  });
}
