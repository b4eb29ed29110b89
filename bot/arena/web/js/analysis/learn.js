/** Learning from mistakes: a player's turns that lost most, each as a puzzle. */

import { GOOD_LOSS } from "../game/review.js";
import { sureLines } from "../shared/chances.js";
import { Signal } from "../shared/signal.js";
import { sameTurn } from "../game/turn_tree.js";

/** @import { FreeRules } from "../game/free_rules.js" */
/** @import { AnalysedTurn } from "../shared/wire.d.ts" */
/** @import { Judge } from "./judges.js" */

/** @typedef {"asking" | "judging" | "solved" | "wrong" | "same" | "shown" | "unjudged"} Stage */

export class Learning {
  /** @type {Signal<void>} */
  changed = new Signal();
  index = 0;
  solved = 0;
  /** @type {Stage} */
  stage = "asking";
  /** What the last wrong turn loses. */
  loss = 0;

  /**
   * @param {FreeRules} rules
   * @param {Judge} judge
   * @param {string[]} turns of the game
   * @param {AnalysedTurn[]} mistakes
   */
  constructor(rules, judge, turns, mistakes) {
    this.rules = rules;
    this.judge = judge;
    this.turns = turns;
    this.mistakes = mistakes;
  }

  /** The turn to do better; null after the last one. */
  get mistake() {
    return this.mistakes[this.index] ?? null;
  }

  /** The turns before it. */
  get before() {
    return this.turns.slice(0, this.mistake?.ply ?? 0);
  }

  /** Whether a turn may be tried now. */
  get isOpen() {
    return this.mistake !== null && this.stage !== "judging" && !this.isAnswered;
  }

  get isAnswered() {
    return this.stage === "solved" || this.stage === "shown";
  }

  /** @param {Stage} stage */
  #become(stage) {
    this.stage = stage;
    this.changed.emit();
  }

  next() {
    this.index += 1;
    this.#become("asking");
  }

  show() {
    this.#become("shown");
  }

  /**
   * Judge a turn.
   * @param {string} turn
   */
  async attempt(turn) {
    const { mistake, index } = this;
    if (!mistake) {
      return;
    }
    if (sameTurn(turn, mistake.turn)) {
      this.#become("same");
      return;
    }
    if (isKnownGood(turn, mistake)) {
      this.#solve();
      return;
    }
    this.#become("judging");
    const loss = await this.#lossOf(turn, mistake);
    if (index !== this.index) {
      return;
    }
    if (loss === null) {
      this.#become("unjudged");
    } else if (loss <= GOOD_LOSS) {
      this.#solve();
    } else {
      this.loss = loss;
      this.#become("wrong");
    }
  }

  #solve() {
    this.solved += 1;
    this.#become("solved");
  }

  /**
   * What a turn loses compared with the engine's choice; null if no engine says.
   * @param {string} turn
   * @param {AnalysedTurn} mistake
   */
  async #lossOf(turn, mistake) {
    const turns = [...this.before, turn];
    try {
      const position = await this.rules.position(turns);
      const value = position.over
        ? { [mistake.player]: 1, none: 0.5 }[String(position.winner ?? "none")] ?? 0
        : await this.#valueAfter(turns);
      return value === null ? null : (mistake.best_value ?? 1) - value;
    } catch {
      return null;
    }
  }

  /**
   * The chance of the player who made the last of these turns.
   * @param {string[]} turns
   */
  async #valueAfter(turns) {
    const reply = await this.judge(turns);
    return reply === null ? null : 1 - reply;
  }
}

/**
 * Whether the stored analysis has found that a turn is about as good as the engine's choice.
 * @param {string} turn
 * @param {AnalysedTurn} mistake
 */
function isKnownGood(turn, { best, lines }) {
  const [top] = lines;
  const isSure = sureLines(lines);
  return sameTurn(turn, best) ||
    lines.some((line, place) =>
      sameTurn(line.turn, turn) && isSure[0] && isSure[place] &&
      Number(top?.value) - Number(line.value) <= GOOD_LOSS
    );
}
