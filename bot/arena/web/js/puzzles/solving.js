/** One puzzle as a person works on it: what was answered, and the position to show. */

import { Signal } from "../shared/signal.js";
import { FreeRules } from "../game/free_rules.js";
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
    this.rules = new FreeRules(session, { game, board, rules, options });
  }

  get isOver() {
    return this.stage === "solved" || this.stage === "shown";
  }

  /** Show the position to solve. */
  async begin() {
    await this.#show(this.puzzle.turns);
  }

  /** The position to solve, by the rules in the page. */
  get here() {
    return this.rules.after(this.puzzle.turns);
  }

  /**
   * Ask the server which steps may follow those chosen.
   * @param {string[]} chosen
   * @param {string} [about]
   */
  async askLegal(chosen, about) {
    return await this.rules.askLegal(this.puzzle.turns, chosen, about);
  }

  /** @param {string | null} turn null gives up */
  async answer(turn) {
    const { position } = this;
    const tried = turn === null ? null : this.rules.after([...this.puzzle.turns, turn]);
    this.position = tried?.view() ?? position;
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
    this.position = position;
    this.changed.emit();
  }

  /** @param {string[]} turns */
  async #show(turns) {
    try {
      this.position = await this.rules.position(turns);
    } catch (error) {
      this.problem = messageOf(error);
    }
    this.changed.emit();
  }
}
