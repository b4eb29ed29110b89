/** Why a turn is illegal, as the stable code of a rule (engine/errors.py). */

export class Refusal {
  /** @param {string} rule */
  constructor(rule) {
    this.rule = rule;
  }
}

/** A turn breaks a rule. */
export class IllegalTurn extends Error {
  /** @param {string} rule */
  constructor(rule) {
    super(`illegal turn: ${rule}`);
    this.name = "IllegalTurn";
    this.rule = rule;
  }
}
