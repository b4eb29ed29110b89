/** The page of a lesson: a board, what it teaches, and the way through its steps. */

import { h, replace, setAttributes } from "../shared/dom.js";
import { hasMessage, t } from "../shared/messages.js";
import { Exercise } from "./exercise.js";
import { firstGame } from "./first_game.js";
import { LessonBoard } from "./lesson_board.js";
import { LessonPanel } from "./lesson_panel.js";
import { TAUGHT, TITLES } from "../shared/guides.js";
import { loadLesson } from "./lessons.js";
import { keep, progressOf } from "../shared/lesson_progress.js";
import { StepBar } from "./step_bar.js";

/** @import { Child } from "../shared/dom.js" */
/** @import { Session } from "../shared/session.js" */
/** @import { Feedback } from "./exercise.js" */
/** @import { Lesson, Step } from "./lessons.js" */

/**
 * The page of a game's lesson; null if the game has none.
 * @param {Session} session
 * @param {string} game
 */
export async function lessonPage(session, game) {
  if (!TAUGHT.includes(game)) {
    return null;
  }
  const lesson = await loadLesson(game, "learn");
  const names = [...new Set(lesson.steps.map(({ board }) => board))];
  const boards = names.map(async (
    name,
  ) => /** @type {const} */ ([name, await LessonBoard.made(game, name)]));
  return new LessonPage(session, lesson, new Map(await Promise.all(boards)));
}

/**
 * @param {number} ms
 * @returns {Promise<void>}
 */
function pause(ms) {
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  return new Promise((done) => setTimeout(done, isStill ? 0 : ms));
}

export class LessonPage {
  site = null;
  /** @type {Exercise | null} */
  exercise = null;
  #endStep = () => {};

  /**
   * @param {Session} session
   * @param {Lesson} lesson
   * @param {Map<string, LessonBoard>} boards by their names
   */
  constructor(session, lesson, boards) {
    this.session = session;
    this.lesson = lesson;
    this.boards = boards;
    this.subject = lesson.game;
    const name = TITLES[lesson.game] ?? lesson.game;
    this.title = t("learn.lesson_title", { game: name });
    this.progress = progressOf(lesson.game);
    this.bar = new StepBar(lesson.steps.map(({ id }) => this.#text(id, "_title")));
    this.bar.chosen.on((at) => this.#go(at));
    this.panel = new LessonPanel({ id: lesson.game, name }, this.bar.element, {
      back: () => this.#move(-1),
      show: () => this.exercise?.solve(),
      next: () => this.#forward(),
    });
    this.boardPlace = h("div", { class: "lesson-board" });
    this.element = h(
      "main",
      { class: "lesson", id: "page", tabindex: -1 },
      this.boardPlace,
      this.panel.element,
    );
    for (const board of boards.values()) {
      board.listen({
        choose: (cell) => this.exercise?.choose(cell),
        chooseFixture: (what) => this.exercise?.refuseFixture(what),
        undo: () => this.exercise?.undo(),
      });
    }
    document.addEventListener("keydown", this.#press);
    const { whole, at } = this.progress;
    this.#go(whole ? 0 : Math.min(at, lesson.steps.length - 1));
  }

  dispose() {
    this.#endStep();
    document.removeEventListener("keydown", this.#press);
  }

  /**
   * @param {string} id of the step
   * @param {string} [suffix]
   */
  #text(id, suffix = "") {
    return t(`learn_${this.lesson.game}.${id}${suffix}`);
  }

  /** @param {number} at */
  #go(at) {
    const step = this.lesson.steps[at];
    const board = step && this.boards.get(step.board);
    if (!board) {
      return;
    }
    const isElsewhere = this.exercise !== null && movesStones(this.exercise, step);
    this.#endStep();
    this.progress = { ...this.progress, at };
    keep(this.lesson.game, this.progress);
    const exercise = new Exercise(board, step, pause);
    this.#endStep = () => exercise.end();
    this.exercise = exercise;
    exercise.changed.on(() => this.#draw(step, exercise));
    board.frame(step);
    if (board.element.parentElement !== this.boardPlace) {
      replace(this.boardPlace, board.element);
    }
    this.element.dataset["kind"] = step.kind;
    this.panel.showStep(
      this.#text(step.id, "_title"),
      isElsewhere ? `${this.#text(step.id)}\n${t("learn.own_position")}` : this.#text(step.id),
      this.#task(step, exercise),
    );
    if (!exercise.isTask) {
      this.#note(step.id);
    }
    exercise.start();
  }

  /**
   * The answers of a question, or what to do after the lesson.
   * @param {Step} step
   * @param {Exercise} exercise
   * @returns {Child[]}
   */
  #task({ id, kind, choices = 0 }, exercise) {
    if (kind === "play") {
      const { element, dispose } = firstGame(this.session, this.lesson);
      this.#endStep = () => {
        exercise.end();
        dispose();
      };
      return [element];
    }
    const answers = Array.from({ length: choices }, (_, at) =>
      h(
        "button",
        { type: "button", "data-key": `answer-${at}`, onclick: () => exercise.answer(at) },
        this.#text(id, `_choice_${at}`),
      ));
    return kind === "choose" ? [h("div", { class: "buttons" }, answers)] : [];
  }

  /**
   * Note that a step is done.
   * @param {string} id
   */
  #note(id) {
    if (!this.progress.done.includes(id)) {
      const done = [...this.progress.done, id];
      const whole = this.progress.whole ||
        this.lesson.steps.every((each) => done.includes(each.id));
      this.progress = { ...this.progress, done, whole };
      keep(this.lesson.game, this.progress);
    }
  }

  /**
   * @param {Step} step
   * @param {Exercise} exercise
   */
  #draw(step, exercise) {
    const { isTask, isDone, feedback } = exercise;
    if (isDone) {
      this.#note(step.id);
    }
    const { steps } = this.lesson;
    const { at } = this.progress;
    const { panel } = this;
    const right = panel.task.querySelector(`[data-key="answer-${step.right ?? 0}"]`);
    if (right) {
      setAttributes(right, { "aria-pressed": isDone ? "true" : null });
    }
    this.element.classList.toggle("done", isDone);
    this.bar.update(this.progress, steps.map(({ id }) => id));
    panel.showFeedback(feedback.kind, isTask ? this.#said(step, feedback) : "");
    const choose = (/** @type {number} */ kind) => exercise.chooseKind(kind);
    panel.showColours(step.seat, exercise.kind, exercise.asksColour ? choose : null);
    panel.showButtons({
      isFirst: at === 0,
      isLast: at === steps.length - 1,
      isTask,
      isDone,
      isWrong: feedback.kind === "wrong",
    });
    if (isDone && this.boardPlace.contains(document.activeElement)) {
      panel.next.focus({ preventScroll: true });
    }
  }

  /**
   * @param {Step} step
   * @param {Feedback} feedback
   */
  #said({ id, kind: task }, { kind, suffix = "", broken, left = 0 }) {
    if (broken) {
      const key = `rule_${broken.rule.replaceAll("-", "_")}`;
      const own = `learn_${this.lesson.game}.${key}`;
      return t(hasMessage(own) ? own : `learn.${key}`, { n: broken.n ?? 0 });
    }
    switch (kind) {
      case "none":
        return this.#text(id, "_task");
      case "more":
        return t(task === "mark" ? "learn.more_cells" : "learn.more_stones", { n: left });
      default:
        return this.#text(id, suffix);
    }
  }

  /** Continue; after a wrong answer, begin the step again. */
  #forward() {
    const { exercise, panel } = this;
    if (exercise?.feedback.kind === "wrong") {
      exercise.retry();
      return;
    }
    const isByKey = panel.next.matches(":focus-visible");
    this.#move(1);
    const step = this.exercise?.step;
    if (isByKey && (step?.kind === "place" || step?.kind === "mark")) {
      this.boards.get(step.board)?.focus();
    }
  }

  /** @param {-1 | 1} way */
  #move(way) {
    this.#go(this.progress.at + way);
  }

  #press = (/** @type {KeyboardEvent} */ event) => {
    const typing = event.target instanceof Element && event.target.closest("input, select, dialog");
    if (typing || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      event.preventDefault();
      this.#move(event.key === "ArrowLeft" ? -1 : 1);
    } else if (/^[12]$/.test(event.key)) {
      this.exercise?.chooseKind(Number(event.key));
    }
  };
}

/**
 * Whether a person who chose a cell freely misses their stone in the next step, which has another.
 * @param {Exercise} former
 * @param {Step} step
 */
function movesStones({ step: { node, board }, shown }, step) {
  const isFree = node?.any ?? false;
  return isFree && board === step.board &&
    Object.keys(shown.stones).some((cell) => !(cell in step.position.stones));
}
