/** The board of a lesson: shows positions, what a turn changes, and notes; reports pressed cells. */

import { boardOf, wordsOf } from "../board/board.js";
import { BoardCursor } from "../board/cursor.js";
import { BoardView } from "../board/view.js";
import { gameTexts } from "../rules/texts.js";
import { fetchBoard } from "../shared/api.js";
import { other } from "../shared/games.js";
import { placementOf } from "../shared/steps.js";
import { NotesLayer } from "./notes.js";

/** @import { Fixture } from "../board/view.js" */
/** @import { Placement } from "../shared/steps.js" */
/** @import { Seat } from "../shared/wire.d.ts" */
/** @import { Frame, Notes, Pictured, Shown } from "./lessons.js" */

/**
 * What of a position changes while a person works on a step.
 * @typedef {object} Work
 * @property {Seat} seat whose stones are placed
 * @property {number} kind of the next stone
 * @property {Placement[]} pending
 * @property {string[] | null} open the cells that may be pressed; null for none
 */

/** Space around the cells of a board without an end, in board units. */
const MARGIN = 1.1;
const LEAST = 3.2;

export class LessonBoard {
  /**
   * A board of a game, with what the page knows about it.
   * @param {string} game
   * @param {string} name
   */
  static async made(game, name) {
    const [raw, texts] = await Promise.all([fetchBoard(game, name), gameTexts(game)]);
    const board = boardOf(raw, texts.rows?.reach);
    return new LessonBoard(new BoardView(board, wordsOf(board, texts)), raw.kinds);
  }

  /**
   * @param {BoardView} view
   * @param {number} kinds
   */
  constructor(view, kinds) {
    this.view = view;
    this.kinds = kinds;
    this.element = view.element;
    this.notes = new NotesLayer(view.geometry, view.words.sight);
    view.layers.stones.before(this.notes.under);
    view.layers.marks.after(this.notes.over);
    /** @type {BoardCursor | null} */
    this.cursor = null;
    view.pointed.on((cell) => this.#point(cell));
  }

  /**
   * Let a person press cells.
   * @param {{
   *   choose: (cell: string) => void,
   *   chooseFixture: (what: Fixture) => void,
   *   undo: () => void,
   * }} actions
   */
  listen(actions) {
    this.view.chosen.on(actions.choose);
    this.view.fixtureChosen.on(actions.chooseFixture);
    this.cursor = new BoardCursor(this.view, actions);
  }

  /** The cell whose group is lit while no cell is pointed at. @type {string | null} */
  #lit = null;

  /** All cells that are drawn. */
  get cells() {
    return this.view.targets.all.map(({ name }) => name);
  }

  /**
   * On a board without an end: show the part around some cells.
   * @param {Pictured} pictured
   */
  frame({ window: names, position }) {
    const { lattice } = this.view;
    if (lattice) {
      const cells = names ?? Object.keys(position.stones);
      const { x, y, width, height } = lattice.box(cells, MARGIN, LEAST);
      this.element.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
      this.view.look({ x, y, width, height }, 40);
    }
  }

  /**
   * @param {Shown} shown
   * @param {Work | null} work
   * @param {Notes} [notes]
   */
  show(shown, work, notes = {}) {
    const { stones, marks, last, captured } = shown;
    const seat = work?.seat ?? 1;
    const loser = shown.loser ?? (captured.length ? shownLoser(shown) : seat);
    this.view.show({
      ...{ stones, marks, captured, loser },
      last: last.filter((cell) => !(cell in (notes.labels ?? {}))),
      pending: work?.pending ?? [],
      doomed: [],
      legal: work?.open ? new Set(work.open) : null,
      seat,
      kind: work?.kind ?? 1,
      line: [],
    });
    const [lit] = notes.group ?? [];
    this.#lit = (lit === "last" ? last[0] : lit) ?? null;
    this.notes.show(notes, stones);
    this.#point(null);
  }

  /** @param {string | null} cell whose group is shown; null for the one of the notes */
  #point(cell) {
    const group = cell === null ? null : this.view.groupAt(cell);
    this.view.highlight(group ?? this.view.groupAt(this.#lit ?? ""));
  }

  /** @param {string | null} cell */
  accuse(cell) {
    this.view.accuse(cell);
  }

  /** Move the keyboard to the board. */
  focus() {
    if (this.cursor) {
      this.view.focus(this.cursor.cell);
    }
  }

  /**
   * The position after a turn.
   * @param {Shown} before
   * @param {Frame} frame
   * @returns {Shown}
   */
  after({ stones }, { seat, put, gone = [], marks = {}, scores }) {
    const placed = put.map((step) => placementOf(step, this.kinds));
    const added = placed.map(({ cell, kind }) => [cell, [seat, kind]]);
    const all = { ...stones, ...Object.fromEntries(added) };
    const kept = Object.entries(all).filter(([cell]) => !gone.includes(cell));
    const isLost = placed.some(({ cell }) => gone.includes(cell));
    return {
      stones: Object.fromEntries(kept),
      last: placed.map(({ cell }) => cell),
      captured: gone,
      loser: isLost ? seat : other(seat),
      marks,
      scores,
    };
  }
}

/**
 * Whose stones were captured: the opponent's of the last turn.
 * @param {Shown} shown
 * @returns {Seat}
 */
function shownLoser({ stones, last }) {
  return stones[last[0] ?? ""]?.[0] === 1 ? 2 : 1;
}
