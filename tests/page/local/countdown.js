/**
 * Stands for a game's rules in tests of the arena in the page: players take one or two of five, and
 * the one who takes the last wins.
 */

import { IllegalTurn } from "../../../bot/arena/web/js/engine/refusal.js";

/** @import { Rules } from "../../../bot/arena/web/js/engine/rules.js" */
/** @import { LegalView, PositionView, Seat } from "../../../bot/arena/web/js/shared/wire.d.ts" */

const ALL = 5;

class Position {
  /**
   * @param {{ beforeTurn: (turn: string) => void }} rules
   * @param {string[]} turns
   */
  constructor(rules, turns) {
    this.rules = rules;
    this.turns = turns;
  }

  get left() {
    return this.turns.reduce((left, turn) => left - Number(turn), ALL);
  }

  /** @returns {Seat} */
  get toPlay() {
    return this.turns.length % 2 === 0 ? 1 : 2;
  }

  get over() {
    return this.left === 0;
  }

  /** @returns {Seat | null} */
  get winner() {
    return this.over ? (this.toPlay === 1 ? 2 : 1) : null;
  }

  get hasEnded() {
    return this.over;
  }

  get finalWinner() {
    return this.winner;
  }

  /** @param {string} turn */
  play(turn) {
    this.rules.beforeTurn(turn);
    if (!["1", "2"].includes(turn) || Number(turn) > this.left) {
      throw new IllegalTurn("too-many");
    }
    return new Position(this.rules, [...this.turns, turn]);
  }

  /** @returns {LegalView} */
  legal() {
    const legal = ["1", "2"].filter((turn) => Number(turn) <= this.left);
    return {
      ...{ ply: this.turns.length, legal, illegal: {}, complete: false, may_pass: false },
      captured: [],
    };
  }

  /** @returns {PositionView} */
  view() {
    return {
      ...{ ply: this.turns.length, to_play: this.toPlay, stones: {}, last: [], captured: [] },
      ...{ marks: {}, scores: [[], []], over: this.over, winner: this.winner },
      early_end: null,
    };
  }
}

/**
 * @param {(turn: string) => void} beforeTurn called before a turn is judged
 * @returns {Rules}
 */
export function countdown(beforeTurn) {
  const rules = { beforeTurn, start: () => new Position(rules, []) };
  return /** @type {Rules} */ (/** @type {unknown} */ (rules));
}
