/**
 * The analysis of a finished game on this device: what each turn lost.
 *
 * Values of searches of different positions may be compared only if the searches are as long and
 * start from nothing, so the positions after the turn and after the engine's choice get one each, as
 * on the server (bot/arena/analysis/game_review.py).
 */

import { loadRules } from "../engine/load.js";
import { Thinker } from "../engine/thinker.js";
import { sameTurn } from "../game/turn_tree.js";
import { chanceOf } from "../shared/chances.js";
import { moverOf } from "../shared/games.js";
import { helpRefusal } from "../shared/help_rule.js";
import { t } from "../shared/messages.js";
import { settledSetup } from "./settled_setup.js";

/** @import { Position, Rules } from "../engine/rules.js" */
/** @import { Review } from "../game/review.js" */
/** @import { Session } from "../shared/session.js" */
/** @import { AnalysedTurn, AnalysisLine, GameAnalysis, GameState, Seat } from "../shared/wire.d.ts" */

/** @typedef {AnalysedTurn["mark"]} Mark */

/** As on the server. */
const POSITION_MS = 1_000;
const KEPT_LINES = 5;
/** The losses, as chances to win, from which a turn is marked. @type {[number, Mark][]} */
const MARKS = [[0.25, "blunder"], [0.15, "mistake"], [0.08, "inaccuracy"]];

/** Searches the position after some turns from nothing; best line first. */
/** @typedef {(turns: readonly string[]) => Promise<AnalysisLine[]>} Search */

export class DeviceReview {
  /** @type {Thinker | null} */
  #thinker = null;
  #isGone = false;

  /**
   * @param {Session} session
   * @param {GameState} game that is finished
   * @param {Review} review which shows the analysis
   */
  constructor(session, game, review) {
    this.session = session;
    this.game = game;
    this.review = review;
  }

  dispose() {
    this.#isGone = true;
    this.#thinker?.dispose();
  }

  /**
   * Analyse the game, and show the progress after each turn. Where this device has no engine for the
   * board, the server analyses it.
   */
  async run() {
    const { session, game, review } = this;
    /** @type {AnalysedTurn[]} */
    const turns = [];
    try {
      const { game: name, board, rules: ruleSet, options } = game.setup;
      const played = { game: name, board, rules: ruleSet, options };
      const setup = await settledSetup(session.catalogue, played);
      const rules = await loadRules(setup);
      const refusal = helpRefusal(session, setup, game.game_id);
      if (this.#isGone || refusal) {
        this.#isGone || review.refuse(refusal);
      } else if (rules) {
        await this.#analyse(rules, turns);
      } else {
        await review.ask(true);
      }
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.#tell("failed", turns, t("analysis.device_failed", { why }));
    }
  }

  /**
   * @param {Rules} rules
   * @param {AnalysedTurn[]} turns gets those that are analysed
   */
  async #analyse(rules, turns) {
    const thinker = this.#thinker = new Thinker(rules.setup);
    this.#tell("running", turns);
    try {
      const last = rules.replay(this.game.turns.map(({ turn }) => turn));
      for await (const turn of analysedTurns(last, (each) => this.#search(each))) {
        turns.push(turn);
        this.#tell("running", turns);
      }
      this.#tell("done", turns);
    } finally {
      thinker.dispose();
    }
  }

  /**
   * @param {readonly string[]} turns
   * @returns {Promise<AnalysisLine[]>}
   */
  async #search(turns) {
    const how = { lines: KEPT_LINES, isFresh: true };
    const done = await this.#thinker?.search(turns, { milliseconds: POSITION_MS }, how);
    if (!done) {
      throw new Error("the search was stopped");
    }
    return done.found.candidates.map(({ turn, value, visits, line }) => ({
      ...{ turn, value, visits, pv: line },
    }));
  }

  /**
   * @param {GameAnalysis["state"]} state
   * @param {AnalysedTurn[]} turns
   * @param {string | null} [message]
   */
  #tell(state, turns, message = null) {
    if (!this.#isGone) {
      this.review.take({
        ...{ v: 1, game_id: this.game.game_id, revision: turns.length, state, message },
        ...{ done: turns.length, total: this.game.turns.length, turns: [...turns] },
        engine: t("analysis.device_engine"),
      });
    }
  }
}

/**
 * What each turn of a game has lost.
 * @param {Position} last position of the game
 * @param {Search} search
 * @returns {AsyncGenerator<AnalysedTurn>}
 */
export async function* analysedTurns(last, search) {
  const { rules, turns } = last;
  let [before, lines] = [rules.start(), turns.length > 0 ? await search([]) : []];
  for (const [ply, turn] of turns.entries()) {
    const mover = moverOf(ply);
    const after = before.play(turn);
    const next = after.over ? [] : await search(after.turns);
    const value = valueFor(mover, after, next);
    const choice = lines[0]?.turn ?? turn;
    const best = sameTurn(choice, turn)
      ? value
      : await chosenValue(mover, before.play(choice), search);
    const loss = value === null || best === null ? null : Math.max(0, best - value);
    yield {
      ...{ ply, player: mover, turn, lines, best: choice, mark: markOf(loss) },
      ...{ value: rounded(value), best_value: rounded(best), loss: rounded(loss) },
    };
    [before, lines] = [after, next];
  }
}

/**
 * @param {Seat} mover
 * @param {Position} chosen after the engine's choice
 * @param {Search} search
 */
async function chosenValue(mover, chosen, search) {
  return valueFor(mover, chosen, chosen.over ? [] : await search(chosen.turns));
}

/**
 * The chance of the player who has just moved.
 * @param {Seat} mover
 * @param {Position} position
 * @param {AnalysisLine[]} lines of the position
 */
function valueFor(mover, position, lines) {
  if (position.over) {
    return position.winner === null ? 0.5 : Number(position.winner === mover);
  }
  const reply = chanceOf(lines[0]);
  return reply === null ? null : 1 - reply;
}

/** @param {number | null} loss */
function markOf(loss) {
  return MARKS.find(([least]) => loss !== null && loss >= least)?.[1] ?? null;
}

/** @param {number | null} value */
function rounded(value) {
  return value === null ? null : Number(value.toFixed(4));
}
