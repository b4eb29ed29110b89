/** The board as SVG: draws a picture, and reports clicks and the pointer. */

import { replace, setAttributes, svg } from "../shared/dom.js";
import { Signal } from "../shared/signal.js";
import { centre, cross, ghost, imaginedStone, nameOf, pendingStone, wordMark } from "./marks.js";
import { blueStone, lines, shading, star, stone, STONE_RADIUS, surface } from "./parts.js";

/** @import { Cell, Geometry, Group } from "./geometry.js" */
/** @import { Picture } from "./picture.d.ts" */
/** @import { BoardWords } from "./words.js" */

export class BoardView {
  /** @type {Signal<string>} */
  chosen = new Signal();
  /** @type {Signal<void>} a star was clicked, on which nothing can be placed */
  starChosen = new Signal();
  /** @type {Signal<string | null>} a cell under the pointer or with the focus */
  pointed = new Signal();

  /** The drawn stones: `what` has the seat and the kind. @type {Map<string, {what: string, element: Element}>} */
  #stones = new Map();
  /** @type {Map<string, Element>} */
  #targets = new Map();
  /** @type {Map<string, Group>} */
  #groupOf = new Map();

  /**
   * @param {Geometry} geometry
   * @param {BoardWords} words
   */
  constructor(geometry, words) {
    this.geometry = geometry;
    this.words = words;
    const { x, y, width, height } = geometry.box();
    /** The lowest first. */
    this.layers = {
      groups: layer("groups"),
      ghosts: layer("ghosts"),
      stones: layer("stones"),
      marks: layer("marks"),
      names: layer("names"),
    };
    this.blue = geometry.blue.map((_, index) => blueStone(geometry, index));
    // Otherwise Chromium makes it a stop of the Tab key, because it listens for the focus of its cells.
    const stop = { tabindex: -1 };
    this.element = svg(
      "svg",
      { class: "board", viewBox: `${x} ${y} ${width} ${height}`, role: "group", ...stop },
      shading(),
      svg("g", { "aria-hidden": "true" }, surface(geometry), lines(geometry), this.blue),
      svg(
        "g",
        { class: "stars", "aria-hidden": "true" },
        geometry.stars.map((place) => star(place)),
      ),
      Object.values(this.layers),
      svg(
        "g",
        { class: "cells" },
        geometry.list.map((cell) => this.#target(cell)),
      ),
    );
    this.element.setAttribute("aria-label", "Board: arrow keys move, Enter places a stone");
    replace(this.layers.names, geometry.list.map(nameOf));
    this.#listen();
  }

  /** @param {Cell} cell */
  #target(cell) {
    const target = svg(
      "g",
      { class: "cell", role: "button", tabindex: -1, "data-cell": cell.name },
      svg("circle", { class: "preview", cx: cell.x, cy: cell.y, r: STONE_RADIUS }),
      svg("circle", { class: "ring", cx: cell.x, cy: cell.y, r: STONE_RADIUS + 0.06 }),
      svg("circle", { class: "hit", cx: cell.x, cy: cell.y, r: 0.56 }),
    );
    this.#targets.set(cell.name, target);
    return target;
  }

  /** @param {string} name */
  target(name) {
    return this.#targets.get(name);
  }

  #listen() {
    this.element.addEventListener("click", (event) => {
      const cell = this.#cellAt(event);
      if (cell) {
        this.chosen.emit(cell);
      } else if (isStar(event.target)) {
        this.starChosen.emit();
      }
    });
    const point = (/** @type {Event} */ event) => this.pointed.emit(cellOf(event.target));
    this.element.addEventListener("pointerover", point);
    this.element.addEventListener("focusin", point);
    for (const leaving of ["pointerleave", "focusout"]) {
      this.element.addEventListener(leaving, () => this.pointed.emit(null));
    }
  }

  /**
   * The cell of a click: the nearest one, because fingers are not exact.
   * @param {MouseEvent} event
   */
  #cellAt(event) {
    const matrix = this.element.getScreenCTM();
    if (matrix && (event.clientX || event.clientY)) {
      const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
      return this.geometry.nearest(point)?.name ?? null;
    }
    return cellOf(event.target);
  }

  /** @param {Picture} picture */
  show(picture) {
    this.#groupOf = new Map();
    for (const group of (this.words.sight ?? this.geometry).groups(picture.stones)) {
      group.cells.forEach((cell) => this.#groupOf.set(cell, group));
    }
    setAttributes(this.element, { "data-seat": picture.seat, "data-kind": picture.kind });
    this.#showStones(picture);
    this.#showMarks(picture);
    for (const cell of this.geometry.list) {
      this.#describe(cell, picture);
    }
  }

  /** @param {Picture} picture */
  #showStones(picture) {
    for (const [name, { what, element }] of this.#stones) {
      if (String(picture.stones[name]) !== what) {
        element.remove();
        this.#stones.delete(name);
      }
    }
    for (const [name, [seat, kind]] of Object.entries(picture.stones)) {
      const cell = this.geometry.cells.get(name);
      if (cell && !this.#stones.has(name)) {
        const element = stone(cell, seat, kind);
        this.layers.stones.append(element);
        this.#stones.set(name, { what: String([seat, kind]), element });
      }
    }
    for (const [name, { element }] of this.#stones) {
      element.classList.toggle("doomed", picture.doomed.includes(name));
      element.classList.toggle("faded", name in picture.marks);
    }
  }

  /** @param {Picture} picture */
  #showMarks(picture) {
    const at = (/** @type {string} */ name) => this.geometry.cells.get(name);
    const empty = picture.captured.filter((name) => !(name in picture.stones));
    replace(
      this.layers.ghosts,
      empty.map((name) => ghost(at(name), picture.loser)),
      picture.pending.map(({ cell, kind }) => pendingStone(at(cell), picture.seat, kind)),
      picture.line.map((imagined) => imaginedStone(at(imagined.cell), imagined)),
    );
    const last = picture.last.filter((name) => name in picture.stones);
    replace(
      this.layers.marks,
      Object.entries(picture.marks).map(([name, word]) =>
        wordMark(at(name), picture.stones[name]?.[0] ?? 0, word)
      ),
      last.map((name) => svg("circle", { class: "last", ...centre(at(name)), r: 0.13 })),
      picture.doomed.map((name) => cross(at(name), "doom")),
    );
  }

  /**
   * @param {Cell} cell
   * @param {Picture} picture
   */
  #describe(cell, picture) {
    const target = this.#targets.get(cell.name);
    if (!target) {
      return;
    }
    const open = picture.legal?.has(cell.name) ?? false;
    const pending = picture.pending.find((each) => each.cell === cell.name);
    target.classList.toggle("open", open);
    setAttributes(target, {
      "aria-label": this.words.describeCell(cell, picture, this.groupAt(cell.name)),
      "aria-disabled": picture.legal !== null && !open && !pending ? "true" : null,
      "aria-pressed": pending ? "true" : null,
    });
    const [seat, kind] = picture.stones[cell.name] ?? (pending ? [picture.seat, pending.kind] : []);
    const label = this.layers.names.children[this.geometry.list.indexOf(cell)];
    if (label) {
      setAttributes(label, { "data-on": seat ?? 0, "data-kind": kind });
    }
  }

  /** @param {string} name */
  groupAt(name) {
    return this.#groupOf.get(name) ?? null;
  }

  /** @param {Group | null} group its stones and the blue stones that it touches stand out */
  highlight(group) {
    replace(this.layers.groups, group ? this.#outline(group) : []);
    const cells = new Set(group?.cells);
    this.blue.forEach((element, index) => {
      element.classList.toggle("touched", group?.blue.includes(index) ?? false);
      for (const link of element.querySelectorAll(".link")) {
        link.classList.toggle("used", cells.has(link.getAttribute("data-to") ?? ""));
      }
    });
  }

  /** @param {Group} group */
  #outline(group) {
    const joints = group.links.map(([a, b]) => `M${a.x} ${a.y}L${b.x} ${b.y}`);
    const dots = group.cells.map((name) =>
      svg("circle", { ...centre(this.geometry.cells.get(name)), r: STONE_RADIUS + 0.1 })
    );
    const style = this.words.sight ? "sights" : "joints";
    return [svg("path", { class: style, d: joints.join("") }), ...dots];
  }

  /** @param {string | null} name the cell that the message next to the board is about */
  accuse(name) {
    for (const [cell, target] of this.#targets) {
      target.classList.toggle("accused", cell === name);
    }
  }
}

/** @param {string} name */
function layer(name) {
  return svg("g", { class: name, "aria-hidden": "true" });
}

/** @param {EventTarget | null} target */
function cellOf(target) {
  const cell = target instanceof Element ? target.closest("[data-cell]") : null;
  return cell?.getAttribute("data-cell") ?? null;
}

/** @param {EventTarget | null} target */
function isStar(target) {
  return target instanceof Element && target.matches(".star");
}
