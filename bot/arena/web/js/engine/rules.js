/**
 * The rules of a game in the page: turns, positions and legal steps, with the server's answers.
 *
 * Positions hold no memory of a module, so that a page may keep many. What a position is made of
 * is known to the `Mechanics` of its game alone.
 */

import { PASS, placementsOf } from "../shared/steps.js";
import { IllegalTurn, Refusal } from "./refusal.js";

/** @import { Illegal, LegalView, PositionView, Seat } from "../shared/wire.d.ts" */
/** @import { Kernels, MemoryRecord } from "./kernels.js" */
/** @import { BoardLayout } from "./layout.d.ts" */
/** @import { AnyState, Mechanics, Setup } from "./mechanics.d.ts" */

/** @typedef {Pick<PositionView, "stones" | "marks" | "scores">} Drafted */

/** The rule that a turn breaks whose steps are legal, but which needs another one. */
const MORE_STONES = "two-stones";

/** A game on its board, with its rule set and options. */
export class Rules {
  /**
   * @param {Kernels} kernels of the game
   * @param {MemoryRecord} board with the rule set and the options
   * @param {BoardLayout} boardLayout
   * @param {Setup} setup
   * @param {Mechanics<AnyState>} mechanics
   */
  constructor(kernels, board, boardLayout, setup, mechanics) {
    this.kernels = kernels;
    this.board = board;
    this.boardLayout = boardLayout;
    this.setup = setup;
    this.mechanics = mechanics;
  }

  /** The position before the first turn. */
  start() {
    const state = this.mechanics.start();
    return new Position(this, [], state, state);
  }

  /**
   * The position after some turns.
   * @param {readonly string[]} turns
   * @param {Position} [known] of these rules; if `turns` begin with its turns, only the rest is played
   * @throws {IllegalTurn}
   */
  replay(turns, known) {
    const begins = known?.rules === this && known.turns.every((turn, ply) => turn === turns[ply]);
    let position = begins ? known : this.start();
    for (const turn of turns.slice(position.ply)) {
      position = position.play(turn);
    }
    return position;
  }
}

/** A position between two turns. It is immutable. */
export class Position {
  /** The state at the start of the last turn. @type {AnyState} */
  #before;

  /**
   * @param {Rules} rules
   * @param {readonly string[]} turns in canonical form
   * @param {AnyState} state
   * @param {AnyState} before
   */
  constructor(rules, turns, state, before) {
    this.rules = rules;
    this.turns = turns;
    this.state = state;
    this.#before = before;
  }

  get ply() {
    return this.turns.length;
  }

  /** The player to move. */
  get toPlay() {
    return this.#mechanics.toPlay(this.state);
  }

  get over() {
    return this.#mechanics.isOver(this.state);
  }

  /** Null for a draw, and until the game is over. @type {Seat | null} */
  get winner() {
    return this.over ? this.#mechanics.winner(this.state) : null;
  }

  /** Why the game may end here, or has ended, before a player is stuck. */
  get earlyEnd() {
    return this.#mechanics.earlyEnd?.(this.state) ?? null;
  }

  /** Whether a host ends the game here. */
  get hasEnded() {
    return this.over || this.earlyEnd !== null;
  }

  /** The winner of a game that has ended; null for a draw. @type {Seat | null} */
  get finalWinner() {
    return this.earlyEnd?.winner ?? this.winner;
  }

  get #mechanics() {
    return this.rules.mechanics;
  }

  /**
   * The position after a turn.
   * @param {string} turn
   * @throws {IllegalTurn}
   */
  play(turn) {
    const text = this.#mechanics.canonical(plain(turn));
    const after = this.#mechanics.playTurn(this.state, text);
    if (after instanceof Refusal) {
      throw new IllegalTurn(after.rule);
    }
    return new Position(this.rules, [...this.turns, text], after, this.state);
  }

  /**
   * The steps that may follow those chosen. `illegal` has only the step `about`: `why` has the others.
   * @param {readonly string[]} chosen
   * @param {string} [about] a step to explain if it is illegal
   * @returns {LegalView}
   */
  legal(chosen, about) {
    const choices = this.#mechanics.choices(this.state, chosen.map(plain));
    const why = about === undefined ? null : this.why(chosen, about);
    return { ply: this.ply, ...choices, illegal: why ? { [String(about)]: why } : {} };
  }

  /**
   * Why a step may not follow those chosen; null if it may. The page has words for the rule.
   * @param {readonly string[]} chosen
   * @param {string} step
   * @returns {Illegal | null}
   */
  why(chosen, step) {
    const turn = this.#mechanics.canonical(plain([...chosen, step].join(",")));
    const after = this.#mechanics.playTurn(this.state, turn);
    const isRefused = after instanceof Refusal && after.rule !== MORE_STONES;
    return isRefused ? { rule: after.rule, message: "" } : null;
  }

  /**
   * What the board shows with the chosen steps; null if they do not begin a turn.
   * @param {readonly string[]} chosen
   * @returns {Drafted | null}
   */
  drafted(chosen) {
    const mechanics = this.#mechanics;
    const state = mechanics.drafted(this.state, chosen.map(plain));
    return state && {
      stones: mechanics.stones(state),
      marks: mechanics.marks(state),
      scores: mechanics.scores(state),
    };
  }

  /** The position as the server sends it. @returns {PositionView} */
  view() {
    const mechanics = this.#mechanics;
    const last = placementsOf(this.turns.at(-1) ?? PASS, mechanics.kinds);
    return {
      ply: this.ply,
      to_play: this.toPlay,
      stones: mechanics.stones(this.state),
      last: last.map(({ cell }) => cell),
      captured: mechanics.captured(this.#before, this.state),
      marks: mechanics.marks(this.state),
      scores: mechanics.scores(this.state),
      over: this.over,
      winner: this.winner,
      early_end: this.earlyEnd,
    };
  }

  /**
   * Copy the position into a state record of the game's kernels.
   * @param {MemoryRecord} record
   */
  write(record) {
    this.#mechanics.write(this.state, record);
  }

  /** What placement codes stand for. Codes of two positions may be compared if this is equal. */
  get frame() {
    return this.#mechanics.frame(this.state);
  }

  /**
   * The notation of a placement code.
   * @param {number} code
   */
  stepName(code) {
    return this.#mechanics.stepName(this.state, code);
  }

  /**
   * The step codes of a turn in canonical form; null if one lies outside of the frame.
   * @param {string} turn
   */
  stepsOf(turn) {
    return this.#mechanics.stepsOf(this.state, turn);
  }
}

/** @param {string} text without blanks and capitals */
function plain(text) {
  return text.replace(/\s/g, "").toLowerCase();
}
