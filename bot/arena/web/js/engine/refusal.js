/** Why a turn is illegal, as the stable code of a rule (engine/errors.py). */
export class Refusal {
  /** @param {string} rule */
  constructor(rule) {
    this.rule = rule;
  }
}
