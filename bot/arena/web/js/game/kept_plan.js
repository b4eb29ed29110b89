/** A person's conditional turns of a game, as the server keeps them. */

import { sameTurn } from "./turn_tree.js";

/** @import { Session } from "../shared/session.js" */
/** @import { GameState } from "../shared/wire.d.ts" */

export class KeptPlan {
  /** Each begins with the opponent's next turn. @type {string[][]} */
  lines = [];

  /**
   * @param {Session} session
   * @param {GameState} game in which the opponent is to move
   */
  constructor(session, game) {
    this.session = session;
    this.game = game;
  }

  /** Ask for the plan. Throws what the request throws. */
  async load() {
    const { game_id, turns } = this.game;
    const { ply, lines } = await this.session.connection.request("game.plans", { game_id });
    this.lines = linesAfter(turns.slice(ply).map(({ turn }) => turn), lines);
  }

  /**
   * Replace the plan. Throws what the request throws.
   * @param {string[][]} lines
   */
  async keep(lines) {
    const { game_id, turns, takebacks } = this.game;
    const asked = { game_id, ply: turns.length, takebacks: takebacks ?? 0, lines };
    this.lines = (await this.session.connection.request("game.plan", asked)).lines;
  }
}

/**
 * What is left of lines after some of their turns were played.
 * @param {string[]} played since the plan was made
 * @param {string[][]} lines
 */
export function linesAfter(played, lines) {
  return lines
    .filter((line) => played.every((turn, at) => sameTurn(turn, line[at] ?? "")))
    .map((line) => line.slice(played.length))
    .filter((line) => line.length > 0);
}
