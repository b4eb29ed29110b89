/** The stones of a turn that is not sent yet, and the kind of the next stone. */

import { placementOf, stepOf } from "../shared/steps.js";

/** @import { Placement } from "../shared/steps.js" */
/** @import { LegalView } from "../shared/wire.d.ts" */

export class TurnDraft {
  /** How many kinds of stones a player owns. */
  kinds = 1;
  /** How many stones a turn has at most, after the first one of a game. */
  most = 2;
  /** The kind of the stone to be placed next. */
  kind = 1;
  /** @type {Placement[]} */
  stones = [];

  /** Start over, with the first kind. */
  clear() {
    this.stones = [];
    this.kind = 1;
  }

  /** @param {string} cell */
  has(cell) {
    return this.stones.some((stone) => stone.cell === cell);
  }

  /**
   * The step of a stone of the next kind.
   * @param {string} cell
   */
  step(cell) {
    return stepOf({ cell, kind: this.kind }, this.kinds);
  }

  /** @param {string} cell */
  add(cell) {
    this.stones = [...this.stones, { cell, kind: this.kind }];
  }

  /**
   * Take a stone back; it can then be placed elsewhere, in its colour.
   * @param {string} cell
   */
  remove(cell) {
    this.kind = this.stones.find((stone) => stone.cell === cell)?.kind ?? this.kind;
    this.stones = this.stones.filter((stone) => stone.cell !== cell);
  }

  /** Exchange the kinds of all stones, and of the next one. */
  swap() {
    this.stones = this.stones.map(({ cell, kind }) => ({ cell, kind: otherKind(kind) }));
    this.kind = otherKind(this.kind);
  }

  /** The steps of the stones, as the protocol writes them. */
  get steps() {
    return this.stones.map((stone) => stepOf(stone, this.kinds));
  }

  /**
   * The cells on which a stone of that kind may be placed next.
   * @param {number} kind
   * @param {LegalView} legal
   */
  openTo(kind, legal) {
    const steps = legal.legal.map((step) => placementOf(step, this.kinds));
    return steps.filter((stone) => stone.kind === kind).map((stone) => stone.cell);
  }

  /**
   * Change the kind of the next stone if no stone of its kind may be placed.
   * @param {LegalView} legal
   */
  adapt(legal) {
    const stuck = this.openTo(this.kind, legal).length === 0;
    if (this.kinds > 1 && stuck && legal.legal.length > 0) {
      this.kind = otherKind(this.kind);
    }
  }
}

/**
 * The other one of two kinds.
 * @param {number} kind
 */
function otherKind(kind) {
  return 3 - kind;
}
