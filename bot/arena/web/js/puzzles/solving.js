/** One puzzle as a person works on it: what was answered, and the position to show. */

import { Signal } from "../shared/signal.js";
import { messageOf } from "../shared/dialogs.js";

/** @import { Session } from "../shared/session.js" */
/** @import { PositionView, PuzzleSolution, PuzzleStanding, PuzzleView } from "../shared/wire.d.ts" */

/** @typedef {"solving" | "judging" | "wrong" | "solved" | "shown"} Stage */

export class Solving {
  /** @type {Signal<void>} */
  changed = new Signal();
  /** @type {Stage} */
  stage = "solving";
  /** @type {PuzzleSolution | null} */
  solution = null;
  /** What the first answer did to the person's rating. @type {number | null} */
  change = null;
  problem = "";
  /** The position to solve, or the one after the solution. @type {PositionView | null} */
  position = null;

  /**
   * @param {Session} session
   * @param {PuzzleView} puzzle
   * @param {PuzzleStanding} standing
   * @param {boolean} answered whether the person has answered it before
   */
  constructor(session, puzzle, standing, answered) {
    this.session = session;
    this.puzzle = puzzle;
    this.standing = standing;
    this.answered = answered;
    const { game, board, rules, options } = puzzle;
    this.setup = { game, board, rules, options };
  }

  get isOver() {
    return this.stage === "solved" || this.stage === "shown";
  }

  /** Show the position to solve. */
  async begin() {
    await this.#show(this.puzzle.turns);
  }

  /**
   * The steps that may follow those chosen.
   * @param {string[]} chosen
   * @param {string} [about]
   */
  async legal(chosen, about) {
    const asked = {
      setup: this.setup,
      turns: this.puzzle.turns,
      chosen,
      ...(about ? { about } : {}),
    };
    return (await this.session.connection.request("analysis.legal", asked)).legal;
  }

  /** @param {string | null} turn null gives up */
  async answer(turn) {
    this.stage = "judging";
    this.problem = "";
    this.changed.emit();
    try {
      const asked = { puzzle_id: this.puzzle.puzzle_id, turn };
      const found = await this.session.connection.request("puzzle.try", asked);
      this.standing = found.standing;
      this.change ??= found.change;
      this.solution = found.solution;
      this.stage = found.solved ? "solved" : turn === null ? "shown" : "wrong";
      if (this.solution) {
        await this.#show([...this.puzzle.turns, this.solution.turn]);
        return;
      }
    } catch (error) {
      this.stage = "solving";
      this.problem = messageOf(error);
    }
    this.changed.emit();
  }

  /** @param {string[]} turns */
  async #show(turns) {
    try {
      const asked = { setup: this.setup, turns };
      this.position = (await this.session.connection.request("analysis.position", asked)).position;
    } catch (error) {
      this.problem = messageOf(error);
    }
    this.changed.emit();
  }
}
