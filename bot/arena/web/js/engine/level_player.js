/** A player of a level: it searches, and lower levels choose coarsely (engine/players). */

import { PASS } from "../shared/steps.js";
import { noNetwork } from "./network.js";
import { Searcher } from "./searcher.js";
import { Thinking } from "./thinking.js";

/** @import { MemoryRecord } from "./kernels.js" */
/** @import { Constants, Level } from "./layout.d.ts" */
/** @import { Network } from "./network.js" */
/** @import { Candidate } from "./readout.js" */
/** @import { Position, Rules } from "./rules.js" */
/** @import { Found, Host, Limits } from "./thinking.js" */

/**
 * @typedef {object} Wanted
 * @property {number} lines how many turns to find
 * @property {boolean} isFresh whether to forget earlier searches: values are then comparable
 */

/**
 * @typedef {object} PlayerOptions
 * @property {number} megabytes of memory for the search
 * @property {bigint} seed of the search
 * @property {() => number} random numbers from 0 to below 1, for coarse choices
 */

export class LevelPlayer {
  #level;
  #searcher;
  #random;
  #bound;
  #state;
  #out;

  /**
   * @param {Rules} rules
   * @param {Level} level
   * @param {Network | null} network
   * @param {PlayerOptions} options
   */
  constructor(rules, level, network, { megabytes, seed, random }) {
    const { kernels } = rules;
    const judge = level.judged === 0 ? null : network;
    const { coarse, network: judged, playouts } = kernels.layout.tunings;
    const tuning = level.coarseness > 0 ? coarse : judge ? judged : playouts;
    this.#level = level;
    this.#searcher = new Searcher(rules, {
      ...{ megabytes, seed, tuning },
      network: judge ?? noNetwork(kernels),
    });
    this.#random = random;
    this.#bound = judge ? level.judged : level.playouts;
    this.#state = kernels.record("state");
    this.#out = kernels.array("int16", rules.board.get("n_steps") + 2);
  }

  /**
   * Search a position that is not over. The limits count where the level has no bound.
   * @param {Position} position
   * @param {Limits} limits
   * @param {Wanted} wanted
   * @param {Host} host
   * @returns {Promise<{ turn: string, found: Found }>} the turn that the level chooses, and the best
   */
  async choose(position, limits, { lines, isFresh }, host) {
    const searcher = this.#searcher;
    isFresh && searcher.forget();
    searcher.moveTo(position);
    const thinking = new Thinking(searcher);
    const playouts = Math.min(limits.playouts ?? Infinity, this.#bound ?? Infinity);
    const found = () => ({
      candidates: searcher.candidates(lines).map((each) => this.#withChance(each)),
      playouts: thinking.playouts,
      visits: searcher.visits,
    });
    const bounded = { ...limits, playouts: playouts === Infinity ? null : playouts };
    await thinking.run(bounded, host, () => host.report(found()));
    return { turn: this.#chosen(position).turn, found: found() };
  }

  get #constants() {
    return this.#searcher.rules.kernels.layout.constants;
  }

  /** @param {Position} position */
  #chosen(position) {
    const found = this.#searcher.candidates(this.#constants.CANDIDATES);
    const best = found[0] ?? this.#coarse(position, 0, []);
    const { coarseness } = this.#level;
    return coarseness === 0 ? best : this.#coarse(position, coarseness, found);
  }

  /**
   * The same candidate with its value as a chance to win (engine/players/search.py).
   * @param {Candidate} candidate
   */
  #withChance(candidate) {
    const { value, visits, result } = candidate;
    return result !== null || visits === 0
      ? candidate
      : { ...candidate, value: chance(value, this.#constants) };
  }

  // ---- coarse judgement (engine/players/coarse.py) ---------------------------------------------

  /**
   * Draw a turn stone by stone, and return the same turn of `found`, or a new candidate.
   * @param {Position} position
   * @param {number} coarseness
   * @param {Candidate[]} found
   * @returns {Candidate}
   */
  #coarse(position, coarseness, found) {
    const { turn, worth } = this.#draw(position, coarseness);
    const stones = sorted(turn);
    return found.find((each) => sorted(each.turn) === stones) ??
      { turn, value: worth, visits: 0, line: [turn], result: null };
  }

  /**
   * @param {Position} position
   * @param {number} coarseness
   */
  #draw(position, coarseness) {
    const { rules } = this.#searcher;
    const { PASS: PASS_CODE, STOP } = this.#constants;
    const state = this.#state;
    /** @type {number[]} */
    const path = [];
    let worth = 0.5;
    position.write(state);
    while (path.length === 0 || state.get("step") === 1) {
      const steps = this.#thoughtOf(state);
      const worths = this.#searcher.stepWorths(path, steps);
      const place = drawStep(worths, coarseness, this.#random, this.#constants);
      const [step = PASS_CODE, value = NaN] = [steps[place], worths[place]];
      worth = Number.isNaN(value) ? 0.5 : Math.min(Math.max(value, 0), 1);
      if (step === PASS_CODE || step === STOP) {
        break;
      }
      rules.kernels.call("try_step", rules.board, state, step);
      path.push(step);
    }
    const turn = path.map((step) => position.stepName(step)).join(",") || PASS;
    return { turn: rules.mechanics.canonical(turn), worth };
  }

  /**
   * The steps that the search tries: no pass if there are others, except after a pass.
   * @param {MemoryRecord} state
   */
  #thoughtOf(state) {
    const { rules } = this.#searcher;
    const count = rules.kernels.call("promising_steps", rules.board, state, this.#out);
    const steps = Array.from(this.#out.numbers.subarray(0, count), Number);
    const others = steps.filter((step) => step !== this.#constants.PASS);
    return state.get("passes") !== 0 || others.length === 0 ? steps : others;
  }
}

/**
 * Draw one step by the worths of all; return its index. A proved win is always taken, a proved loss
 * only if there is nothing else. The others may be chosen if they are less than `coarseness` standard
 * deviations behind the best. A step of unknown worth counts as average.
 * @param {number[]} worths
 * @param {number} coarseness
 * @param {() => number} random
 * @param {Constants} constants
 */
function drawStep(worths, coarseness, random, { LOST, WON }) {
  const won = worths.indexOf(WON);
  if (won >= 0) {
    return won;
  }
  const open = [...worths.keys()].filter((place) => worths[place] !== LOST);
  if (open.length === 0) {
    return Math.floor(random() * worths.length);
  }
  const known = open.flatMap((place) => worths[place] ?? []).filter((worth) =>
    !Number.isNaN(worth)
  );
  const average = known.length > 0 ? mean(known) : 0.5;
  const worth = open.map((place) => Number.isNaN(worths[place]) ? average : worths[place] ?? 0);
  const [best, centre] = [Math.max(...worth), mean(worth)];
  const room = coarseness * Math.sqrt(mean(worth.map((each) => (each - centre) ** 2)));
  const weights = worth.map((each) =>
    room > 0 ? Math.max(0, 1 - (best - each) / room) : Number(each === best)
  );
  let left = random() * sum(weights);
  const drawn = weights.findIndex((weight) => (left -= weight) < 0);
  return open[drawn < 0 ? weights.indexOf(Math.max(...weights)) : drawn] ?? 0;
}

/** @param {number[]} numbers */
function sum(numbers) {
  return numbers.reduce((total, each) => total + each, 0);
}

/** @param {number[]} numbers */
function mean(numbers) {
  return sum(numbers) / numbers.length;
}

/**
 * The stones of a turn, without their order.
 * @param {string} turn
 */
function sorted(turn) {
  return turn.split(",").sort().join(",");
}

/**
 * The chance to win, 0 to 1, for a value of the search.
 * @param {number} value
 * @param {Constants} constants
 */
function chance(value, { OPTIMISM, SLOPE }) {
  if (value <= 0 || value >= 1) {
    return value;
  }
  const odds = (value / (1 - value)) ** SLOPE / Math.exp(OPTIMISM);
  return odds / (1 + odds);
}
