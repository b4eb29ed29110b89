/** One step of a lesson while a person works on it: judges pressed cells by the lesson's data. */

import { Signal } from "../shared/signal.js";
import { placementOf, stepOf } from "../shared/steps.js";

/** @import { Fixture } from "../board/view.js" */
/** @import { Placement } from "../shared/steps.js" */
/** @import { LessonBoard, Work } from "./lesson_board.js" */
/** @import { Broken, Frame, Leaf, Node, Notes, Shown, Step } from "./lessons.js" */

/**
 * What the page says: nothing yet, why an answer is wrong, or that it is right. `suffix` is the end
 * of the text's key; `rule` is set instead if a rule forbids the cell.
 * @typedef {object} Feedback
 * @property {"none" | "more" | "wrong" | "right"} kind
 * @property {string} [suffix]
 * @property {Broken} [broken]
 * @property {number} [left] how many cells are still to be found
 */

const REPLY_MS = 850;

export class Exercise {
  /** @type {Signal<void>} */
  changed = new Signal();
  /** @type {Feedback} */
  feedback = { kind: "none" };
  /** The kind of the next stone. */
  kind = 1;
  /** @type {Placement[]} */
  #pending = [];
  /** @type {string[]} */
  #found = [];
  /** @type {string | null} */
  #accused = null;
  /** @type {Notes | undefined} */
  #notes;
  /** Incremented at each change: an animation that was overtaken ends. */
  #run = 0;

  /**
   * @param {LessonBoard} board
   * @param {Step} step
   * @param {(ms: number) => Promise<void>} pause
   */
  constructor(board, step, pause) {
    this.board = board;
    this.step = step;
    this.pause = pause;
    this.base = begun(board, step);
    this.shown = this.base;
    /** @type {Node} */
    this.node = step.node ?? { illegal: {} };
  }

  /** Whether there is something to solve. */
  get isTask() {
    return ["place", "mark", "choose"].includes(this.step.kind);
  }

  get isDone() {
    return this.feedback.kind === "right";
  }

  /** Whether the person may choose the colour of the next stone. */
  get asksColour() {
    const { kind, stones, begun: first = [] } = this.step;
    const isFirst = this.#pending.length === 0 && first.length === 0;
    return kind === "place" && this.board.kinds > 1 && Boolean(stones) && isFirst && !this.isDone;
  }

  /** Show the step from its beginning; play its film. */
  async start() {
    this.#reset();
    const run = this.#run;
    for (const frame of this.step.film ?? []) {
      await this.pause(REPLY_MS);
      if (run !== this.#run) {
        return;
      }
      this.shown = this.board.after(this.shown, frame);
      this.#draw();
    }
  }

  /** Leave the step: no animation goes on. */
  end() {
    this.#run++;
  }

  #reset() {
    this.#run++;
    this.#pending = [];
    this.#found = [];
    this.#accused = null;
    this.#notes = this.step.notes;
    this.shown = this.base;
    this.node = this.step.node ?? { illegal: {} };
    this.feedback = { kind: "none" };
    const [first] = this.step.begun ?? [];
    this.kind = first && this.board.kinds > 1 ? 3 - placementOf(first, 2).kind : this.kind;
    this.#draw();
  }

  /** Begin again after a wrong answer. */
  retry() {
    this.#reset();
  }

  /** @param {number} kind */
  chooseKind(kind) {
    if (this.asksColour && kind <= this.board.kinds) {
      this.kind = kind;
      this.#draw();
    }
  }

  /** @param {string} cell */
  choose(cell) {
    if (this.isDone || (this.step.kind !== "place" && this.step.kind !== "mark")) {
      return;
    }
    if (this.feedback.kind === "wrong") {
      this.#forgive();
    }
    if (this.step.kind === "mark") {
      this.#mark(cell);
    } else {
      this.#place(cell);
    }
  }

  /**
   * A star or a blue stone was pressed, on which nothing can be placed.
   * @param {Fixture} rule
   */
  refuseFixture(rule) {
    if (this.step.kind === "place" && !this.isDone) {
      this.feedback = { kind: "wrong", broken: { rule } };
      this.#draw();
    }
  }

  /** Take the last stone back. */
  undo() {
    if (!this.isDone && (this.#pending.length > 0 || this.feedback.kind === "wrong")) {
      this.#reset();
    }
  }

  /** After a wrong answer: keep the right part of the turn, or what has been found. */
  #forgive() {
    this.#run++;
    this.#accused = null;
    this.#notes = this.step.notes;
    this.shown = this.base;
    this.feedback = { kind: "none" };
  }

  /** @param {string} cell */
  #mark(cell) {
    const { cells = [], one } = this.step;
    if (!cells.includes(cell)) {
      const picture = cell in this.base.stones ? { group: [cell] } : { rays: [cell] };
      this.#refuse(cell, { kind: "wrong", suffix: "_wrong" }, { ...picture, good: this.#found });
      return;
    }
    if (!this.#found.includes(cell)) {
      this.#found = [...this.#found, cell];
    }
    const left = one ? 0 : cells.length - this.#found.length;
    this.#notes = { ...this.step.notes, good: this.#found };
    if (left > 0) {
      this.feedback = { kind: "more", left };
      this.#draw();
    } else {
      this.#succeed();
    }
  }

  /** @param {string} cell */
  #place(cell) {
    if (this.#pending.some((stone) => stone.cell === cell)) {
      this.#reset();
      return;
    }
    if (cell in this.base.stones) {
      this.#refuse(cell, { kind: "wrong", broken: { rule: "occupied" } });
      return;
    }
    const step = stepOf({ cell, kind: this.kind }, this.board.kinds);
    const broken = this.node.illegal[step];
    if (broken) {
      this.#refuse(cell, { kind: "wrong", broken }, broken.notes);
      return;
    }
    const usual = this.node.any ? { right: true } : { notes: this.step.other };
    /** @type {Leaf} */
    const leaf = this.node.legal?.[step] ?? usual;
    if (leaf.node) {
      this.#pending = [...this.#pending, { cell, kind: this.kind }];
      this.kind = this.board.kinds > 1 ? 3 - this.kind : 1;
      this.node = leaf.node;
      this.feedback = { kind: "more", left: 1 };
      this.#draw();
    } else {
      this.#finish({ cell, kind: this.kind }, leaf);
    }
  }

  /**
   * @param {Placement} stone
   * @param {Leaf} leaf
   */
  async #finish(stone, { right, say = "", frames = [], notes }) {
    const [own, ...replies] = frames;
    if (!right && !own) {
      this.#refuse(stone.cell, { kind: "wrong", suffix: `_wrong${say}` }, notes);
      return;
    }
    const frame = own ?? this.#frameOf([...this.#pending, stone]);
    this.shown = this.board.after(this.base, frame);
    if (right) {
      this.#pending = [];
      this.#succeed();
    } else {
      this.#accused = stone.cell;
      this.#notes = {};
      this.feedback = { kind: "wrong", suffix: `_wrong${say}` };
      this.#draw();
    }
    await this.#reply(replies, right ? this.step.after : notes);
  }

  /**
   * Show the opponent's turns, and then the notes.
   * @param {Frame[]} replies
   * @param {Notes | undefined} notes
   */
  async #reply(replies, notes) {
    const run = this.#run;
    for (const frame of replies) {
      await this.pause(REPLY_MS);
      if (run !== this.#run) {
        return;
      }
      this.#accused = null;
      this.shown = this.board.after(this.shown, frame);
      this.#notes = notes;
      this.#draw();
    }
  }

  /**
   * @param {Placement[]} stones
   * @returns {Frame}
   */
  #frameOf(stones) {
    const put = stones.map((stone) => stepOf(stone, this.board.kinds));
    const { marks, scores } = this.base;
    return { seat: this.step.seat, put, marks, scores };
  }

  #succeed() {
    this.#run++;
    this.#accused = null;
    this.#notes = this.step.after ?? (this.step.kind === "place" ? {} : this.#notes);
    this.feedback = { kind: "right", suffix: "_done" };
    this.#draw();
  }

  /**
   * @param {string} cell
   * @param {Feedback} feedback
   * @param {Notes} [notes]
   */
  #refuse(cell, feedback, notes) {
    this.#accused = cell;
    this.#notes = notes ?? this.step.notes;
    this.feedback = feedback;
    this.#draw();
  }

  /**
   * Answer a question with several choices.
   * @param {number} choice
   */
  answer(choice) {
    if (choice === this.step.right) {
      this.#succeed();
    } else {
      this.feedback = { kind: "wrong", suffix: "_wrong" };
      this.#draw();
    }
  }

  /** Show the answer. */
  solve() {
    this.#reset();
    const { kind, cells = [], one, solution = [], right = 0 } = this.step;
    if (kind === "choose") {
      this.answer(right);
    } else if (kind === "mark") {
      (one ? cells.slice(0, 1) : cells).forEach((cell) => this.choose(cell));
    } else {
      for (const step of solution) {
        const { cell, kind: colour } = placementOf(step, this.board.kinds);
        this.kind = colour;
        this.choose(cell);
      }
    }
  }

  #draw() {
    this.board.show(this.shown, this.#work(), this.#notes);
    this.board.accuse(this.#accused);
    this.changed.emit();
  }

  /** @returns {Work} */
  #work() {
    const places = this.step.kind === "place" && !this.isDone;
    const { stones } = this.shown;
    return {
      seat: this.step.seat,
      kind: this.kind,
      pending: this.isDone || this.shown !== this.base ? [] : this.#pending,
      open: places ? this.board.cells.filter((cell) => !(cell in stones)) : null,
    };
  }
}

/**
 * The position of a step, with the stone of its turn that is already placed.
 * @param {LessonBoard} board
 * @param {Step} step
 * @returns {Shown}
 */
function begun(board, { position, seat, begun: put = [] }) {
  if (put.length === 0) {
    return position;
  }
  const { marks, scores, last } = position;
  const after = board.after(position, { seat, put, marks, scores });
  return { ...after, last: [...last, ...after.last] };
}
