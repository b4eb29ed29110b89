/** The board as SVG: draws a picture, and reports clicks and the pointer. */

import { replace, setAttributes, svg } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { Signal } from "../shared/signal.js";
import { centre, cross, ghost, imaginedStone, pendingStone, wordMark } from "./marks.js";
import { Geometry } from "./geometry.js";
import { Ground } from "./ground.js";
import { Lattice } from "./lattice.js";
import {
  blueStone,
  dots,
  labels,
  lines,
  shading,
  star,
  stone,
  STONE_RADIUS,
  surface,
} from "./parts.js";
import { RowLines } from "./row_lines.js";
import { ProspectLayer } from "./prospects.js";
import { CellTargets } from "./targets.js";

/** @import { Board } from "./board.js" */
/** @import { Cell, Direction, Group, Point } from "./geometry.js" */
/** @import { Box } from "./lattice.js" */
/** @import { Picture } from "./picture.d.ts" */
/** @import { BoardWords } from "./words.js" */

/** @typedef {"star" | "blue"} Fixture */

export class BoardView {
  /** @type {Signal<string>} */
  chosen = new Signal();
  /** @type {Signal<Fixture>} what was clicked on which nothing can be placed */
  fixtureChosen = new Signal();
  /** @type {Signal<string | null>} a cell under the pointer or with the focus */
  pointed = new Signal();

  /** The drawn stones: `what` has the seat and the kind. @type {Map<string, {what: string, element: Element}>} */
  #stones = new Map();
  targets = new CellTargets();
  /** On a board without an end: cells far from all stones that are needed, by the reason. @type {Map<string, string>} */
  #visited = new Map();
  /** @type {Picture | null} */
  #picture = null;
  /** @type {Map<string, Group>} */
  #groupOf = new Map();
  /** The words for cells, as long as they are right. @type {Map<string, string>} */
  #words = new Map();

  /**
   * @param {Board} geometry
   * @param {BoardWords} words
   */
  constructor(geometry, words) {
    this.geometry = geometry;
    this.words = words;
    this.lattice = geometry instanceof Lattice ? geometry : null;
    this.ground = this.lattice && new Ground(this.lattice);
    this.rows = new RowLines(words.rows);
    /** On a board with stars. */
    this.prospects = geometry instanceof Geometry && words.sight
      ? new ProspectLayer(geometry, words.sight)
      : null;
    const { x, y, width, height } = boxOf(geometry);
    /** The lowest first. */
    this.layers = {
      ...(this.prospects ? { prospects: this.prospects.element } : {}),
      groups: layer("groups"),
      rows: this.rows.element,
      ghosts: layer("ghosts"),
      stones: layer("stones"),
      marks: layer("marks"),
    };
    this.blue = geometry.blue.map((_, index) => blueStone(geometry, index));
    const style = this.lattice ? "board endless" : "board";
    // Otherwise Chromium makes it a stop of the Tab key, because it listens for the focus of its cells.
    const stop = { tabindex: -1 };
    this.element = svg(
      "svg",
      { class: style, viewBox: `${x} ${y} ${width} ${height}`, role: "group", ...stop },
      shading(),
      svg("g", { "aria-hidden": "true" }, plate(geometry, this.ground), this.blue),
      svg(
        "g",
        { class: "stars", "aria-hidden": "true" },
        geometry.stars.map((place) => star(place)),
      ),
      Object.values(this.layers),
      this.targets.cells,
    );
    const label = this.lattice ? t("game.board.label_unbounded") : t("game.board.label");
    this.element.setAttribute("aria-label", label);
    this.targets.lay(geometry.list);
    this.#listen();
  }

  /** @param {boolean} wanted whether the names of the cells are on them, unless the margin has them */
  set named(wanted) {
    const { names, cells } = this.targets;
    const isNamed = wanted && !hasMargin(this.geometry);
    this.element.classList.toggle("named", isNamed);
    if (isNamed !== (names.parentNode !== null)) {
      isNamed ? cells.before(names) : names.remove();
    }
  }

  /** On a board without an end: make targets near the stones, and where they are needed. */
  #spread() {
    if (this.lattice) {
      const { cells } = this.lattice;
      const { near } = this.lattice.around(this.#picture?.stones ?? {}, this.#chosen);
      const names = new Set([...near, ...this.#visited.values()]);
      const added = this.targets.lay([...names].flatMap((name) => cells.get(name) ?? []));
      added.forEach((cell) => this.#describe(cell));
    }
  }

  /**
   * Another part of a board without an end is in view.
   * @param {Box} box
   * @param {number} scale pixels per board unit
   */
  look(box, scale) {
    if (this.lattice?.look(box, scale)) {
      this.ground?.show(this.#picture?.stones ?? {}, this.#chosen);
      this.#spread();
    }
  }

  /** The cells of the stones that are not sent yet. */
  get #chosen() {
    return this.#picture?.pending.map(({ cell }) => cell) ?? [];
  }

  /**
   * Keep a cell drawn, wherever it is.
   * @param {"cursor" | "pointer" | "accused"} why replaces the former cell of that reason
   * @param {string | null} name
   */
  visit(why, name) {
    if (this.lattice && name !== (this.#visited.get(why) ?? null)) {
      name === null ? this.#visited.delete(why) : this.#visited.set(why, name);
      this.#spread();
    }
  }

  /** @param {string} name */
  focus(name) {
    // A board without an end moves under its frame: the page must not scroll to the cell.
    this.targets.get(name)?.focus({ preventScroll: this.lattice !== null });
  }

  /**
   * The cell to which an arrow key leads.
   * @param {string} from
   * @param {Direction} direction
   * @param {Point} lane the line on which the cursor moves
   */
  step(from, direction, lane) {
    if (this.lattice) {
      const { within } = this.lattice.around(this.#picture?.stones ?? {}, this.#chosen);
      return this.lattice.step(from, direction, lane, within.size ? within : undefined);
    }
    return this.geometry.step(from, direction, lane);
  }

  #listen() {
    this.element.addEventListener("click", (event) => {
      const cell = this.#cellAt(event);
      const fixture = fixtureAt(event.target);
      if (cell) {
        this.chosen.emit(cell);
      } else if (fixture) {
        this.fixtureChosen.emit(fixture);
      }
    });
    const point = (/** @type {Event} */ event) => this.pointed.emit(cellOf(event.target));
    this.element.addEventListener("pointerover", (event) => {
      this.targets.point(cellOf(event.target));
      point(event);
    });
    this.element.addEventListener("pointerleave", () => this.targets.point(null));
    this.element.addEventListener("pointermove", (event) => {
      if (this.lattice && event.pointerType === "mouse") {
        this.visit("pointer", this.#cellAt(event));
      }
    });
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
    const changed = this.words.changedBy(this.#picture, picture) ?? this.#words.keys();
    [...changed].forEach((name) => this.#words.delete(name));
    this.#picture = picture;
    this.#groupOf = new Map();
    for (const group of this.words.groups(picture.stones)) {
      group.cells.forEach((cell) => this.#groupOf.set(cell, group));
    }
    setAttributes(this.element, { "data-seat": picture.seat, "data-kind": picture.kind });
    this.ground?.show(picture.stones, this.#chosen);
    this.#showStones(picture);
    this.#showMarks(picture);
    this.rows.show(picture.stones);
    this.prospects?.show(picture.stones);
    this.#spread();
    this.targets.all.forEach((cell) => this.#describe(cell));
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
    const [only] = picture.legal?.size === 1 && picture.pending.length === 0 ? picture.legal : [];
    const last = picture.last.filter((name) => name in picture.stones);
    replace(
      this.layers.marks,
      Object.entries(picture.marks).map(([name, word]) =>
        wordMark(at(name), picture.stones[name]?.[0] ?? 0, word)
      ),
      last.map((name) => svg("circle", { class: "last", ...centre(at(name)), r: 0.13 })),
      picture.doomed.map((name) => cross(at(name), "doom")),
      only === undefined
        ? null
        : svg("circle", { class: "only", ...centre(at(only)), r: STONE_RADIUS }),
    );
  }

  /** @param {Cell} cell */
  #describe(cell) {
    const picture = this.#picture;
    if (picture) {
      const words = this.#words.get(cell.name) ??
        this.words.describeCell(cell, picture, this.groupAt(cell.name));
      this.#words.set(cell.name, words);
      this.targets.describe(cell, picture, words);
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
    this.visit("accused", name);
    this.targets.accuse(name);
  }
}

/**
 * What lies under everything else.
 * @param {Board} geometry
 * @param {Ground | null} ground on a board without an end
 */
function plate(geometry, ground) {
  return geometry instanceof Lattice
    ? [ground?.element]
    : [surface(geometry.labelled), lines(geometry), ...dots(geometry), ...labels(geometry)];
}

/**
 * Whether the margin of a board names its cells.
 * @param {Board} geometry
 */
function hasMargin(geometry) {
  return geometry instanceof Geometry && geometry.labels.length > 0;
}

/** @param {Board} geometry */
function boxOf(geometry) {
  return geometry instanceof Lattice ? geometry.box() : geometry.box(0.75, geometry.labelled);
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

/**
 * @param {EventTarget | null} target
 * @returns {Fixture | null}
 */
function fixtureAt(target) {
  if (!(target instanceof Element)) {
    return null;
  }
  return target.matches(".star") ? "star" : target.matches(".gem, .halo") ? "blue" : null;
}
