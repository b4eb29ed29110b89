/**
 * The tree search of one game, without a clock: it takes positions and returns candidates.
 *
 * The same seed, positions and numbers of playouts give the same tree, node by node, and the same
 * candidates as `engine/search/searcher.py` with one thread.
 */

import { Kernels } from "./kernels.js";
import { numberAt, Readout } from "./readout.js";
import { mixed, STEP } from "./splitmix.js";

/** @import { MemoryArray } from "./kernels.js" */
/** @import { Tuning } from "./layout.d.ts" */
/** @import { Network } from "./network.js" */
/** @import { Candidate, Tree } from "./readout.js" */
/** @import { Position, Rules } from "./rules.js" */

const NEVER = 2n ** 63n - 1n;
const MEGABYTE = 2 ** 20;

/**
 * @typedef {object} SearcherOptions
 * @property {number} megabytes of both trees: the one that grows, and the one that it is copied to
 * @property {bigint} seed
 * @property {Tuning} tuning
 * @property {Network} network `noNetwork` for none
 */

export class Searcher {
  #kernels;
  #options;
  #steps;
  #readout;
  /** @type {Tree} */
  #tree;
  /** @type {Tree | null} */
  #spare = null;
  /** @type {Tree | null} */
  #moved = null;
  #work;
  #root;
  #state;
  #left;
  #worths;
  /** @type {Position | null} */
  #position = null;
  /** Whether the game's prover cannot find more about the position. */
  #isProved = false;

  /**
   * @param {Rules} rules
   * @param {SearcherOptions} options
   */
  constructor(rules, options) {
    const { kernels } = rules;
    this.rules = rules;
    this.#kernels = kernels;
    this.#options = options;
    this.#steps = rules.board.get("n_steps");
    this.#readout = new Readout(kernels, this.#steps);
    this.#root = kernels.record("state");
    this.#state = kernels.record("state");
    this.#left = kernels.array("int64", 1);
    this.#worths = kernels.array("float64", this.#steps + 2);
    this.#work = this.#scratch();
    this.#tree = this.#allocate();
    this.haltIn(null);
  }

  get #constants() {
    return this.#kernels.layout.constants;
  }

  /** The buffers of a search, as in engine/search/descent.py. */
  #scratch() {
    const { LONGEST_PATH } = this.#constants;
    const { base, numbers, policy } = this.#options.network;
    const [steps, rows, channels] = [this.#steps, base?.shape[0] ?? 0, policy?.shape[1] ?? 0];
    return this.#kernels.tuple("Scratch", {
      path: [LONGEST_PATH],
      path_steps: [LONGEST_PATH],
      movers: [LONGEST_PATH],
      steps: [steps + 2],
      owner: [steps],
      standing: [2, steps],
      credit: [2, steps],
      rng: [1],
      halt: [1],
      codes: [Math.max(rows, 1)],
      numbers: [Math.max(numbers?.shape[0] ?? 0, 1)],
      sums: [rows, channels],
      active: [rows, channels],
      whole: [rows + 1, channels],
      pooled: [2 * channels],
      logits: [steps],
      expected: [1],
    });
  }

  /** Half of the memory as a tree, as in engine/search/tree.py. @returns {Tree} */
  #allocate() {
    const { BYTES_PER_EDGE, BYTES_PER_NODE, TABLES_FOR_NETWORK, TABLES_FOR_PLAYOUTS } =
      this.#constants;
    const { megabytes, tuning } = this.#options;
    const steps = this.#steps;
    const usual = this.hasNetwork ? TABLES_FOR_NETWORK : TABLES_FOR_PLAYOUTS;
    const share = Number(tuning["table_visits"]) < 0 ? 0 : usual;
    const nodesPerBlock = 4 + steps / 20;
    const bytes = steps * BYTES_PER_EDGE + nodesPerBlock * BYTES_PER_NODE + share * 2 * steps * 8;
    const blocks = Math.max(4, (megabytes / 2) * MEGABYTE / bytes);
    const nodes = [Math.floor(blocks * nodesPerBlock)];
    const edges = [Math.floor(blocks * steps)];
    const tables = [Math.max(4, Math.floor(blocks * share)), 2, steps];
    const ofNodes = ["first_edge", "edge_count", "mover", "visits", "points", "table", "solved"];
    const tree = /** @type {Tree} */ (this.#kernels.tuple("Tree", {
      ...Object.fromEntries(ofNodes.map((name) => [name, nodes])),
      child: edges,
      step: edges,
      prior: edges,
      amaf_visits: tables,
      amaf_points: tables,
      used: [3],
    }));
    this.#kernels.call("clear", tree);
    return tree;
  }

  // ---- the position ----------------------------------------------------------------------------

  /**
   * Set the position to search next, and keep what is known of it.
   * @param {Position} position that is not over
   */
  moveTo(position) {
    const turns = turnsBetween(this.#position, position);
    this.#rng[0] = stream(this.#options.seed, position.ply + 1);
    if (turns === null || !this.#keep(turns, position)) {
      this.#kernels.call("clear", this.#tree);
    }
    this.#isProved = false;
    this.#position = position;
    position.write(this.#root);
  }

  /** Discard all playouts, so that the next position is searched from nothing. */
  forget() {
    this.#position = null;
  }

  get #rng() {
    return /** @type {BigUint64Array} */ (/** @type {MemoryArray} */ (this.#work["rng"]).numbers);
  }

  /**
   * Make the node after `turns` the root. False: it is missing or has no edges, or codes mean other
   * steps in the new position.
   * @param {readonly string[]} turns
   * @param {Position} position
   */
  #keep(turns, position) {
    const { NOTHING, ROOT } = this.#constants;
    const before = /** @type {Position} */ (this.#position);
    if (before.frame !== position.frame) {
      return false;
    }
    let node = ROOT;
    for (const turn of turns) {
      node = this.#nodeAfter(node, before.stepsOf(turn));
      if (node === NOTHING || numberAt(this.#tree, "first_edge", node) === NOTHING) {
        return false;
      }
    }
    if (!this.#readout.isPlayable(this.#tree, node)) {
      return false;
    }
    if (node !== ROOT) {
      this.#copyBelow(node);
    }
    return true;
  }

  /**
   * @param {number} node
   * @param {number[] | null} steps of a turn
   */
  #nodeAfter(node, steps) {
    const { NOTHING, STOP } = this.#constants;
    const mover = numberAt(this.#tree, "mover", node);
    for (const step of steps ?? []) {
      node = this.#childOf(node, step);
      if (node === NOTHING) {
        return NOTHING;
      }
    }
    if (steps === null) {
      return NOTHING;
    }
    const hasStop = numberAt(this.#tree, "mover", node) === mover;
    return hasStop ? this.#childOf(node, STOP) : node;
  }

  /**
   * @param {number} node
   * @param {number} step
   */
  #childOf(node, step) {
    return this.#kernels.call("child_of", this.#tree, node, step);
  }

  /** @param {number} node that becomes the root, with all below it */
  #copyBelow(node) {
    const { EDGES, NOTHING, TABLES } = this.#constants;
    const source = this.#tree;
    const target = this.#spare ?? this.#allocate();
    const moved = this.#moved ??= /** @type {Tree} */ (this.#kernels.tuple("Moved", {
      node: source["visits"]?.shape ?? [],
      block: source["step"]?.shape ?? [],
      table: (source["amaf_visits"]?.shape ?? []).slice(0, 1),
    }));
    for (const [name, kind] of /** @type {const} */ ([["block", EDGES], ["table", TABLES]])) {
      const numbers = /** @type {Int32Array} */ (moved[name]?.numbers);
      numbers.fill(NOTHING, 0, numberAt(source, "used", kind));
    }
    this.#kernels.call("clear", target);
    this.#kernels.call("copy_below", source, target, node, moved);
    [this.#tree, this.#spare] = [target, source];
  }

  // ---- the search ------------------------------------------------------------------------------

  /**
   * Run playouts, fewer if the result is proved or the search is halted.
   * @param {number} playouts
   * @returns {number} how many were run
   */
  grow(playouts) {
    const { tuning, network } = this.#options;
    this.#left.numbers[0] = BigInt(playouts);
    const { board } = this.rules;
    const search = [this.#root, this.#state, this.#tree, this.#work, tuning, network, this.#left];
    return this.#kernels.call("simulate", board, ...search);
  }

  /**
   * Let `grow` and `prove` end at a moment.
   * @param {number | null} milliseconds from now; null: when they are done
   */
  haltIn(milliseconds) {
    const halt = /** @type {MemoryArray} */ (this.#work["halt"]);
    halt.numbers[0] = milliseconds === null ? NEVER : Kernels.momentIn(milliseconds);
  }

  /** Whether `prove` may find more about the position. */
  get mayProve() {
    return Number(this.#options.tuning["proof_nodes"]) > 0 && !this.#isProved;
  }

  /**
   * Let the game look for a proof of the result; without a prover it does nothing.
   * @param {number} nodes positions to look at
   */
  prove(nodes) {
    const { steps, proofs, halt } = this.#work;
    const { board } = this.rules;
    const search = [this.#root, this.#state, this.#tree, steps, proofs, nodes, halt];
    const found = this.#kernels.call("prove_root", board, ...search);
    this.#isProved = found === this.#constants.NO_PROOF;
  }

  // ---- what it has found -----------------------------------------------------------------------

  /** The tree, whose arrays may be read between two searches. */
  get tree() {
    return this.#tree;
  }

  get hasNetwork() {
    return (this.#options.network["layers"]?.shape[0] ?? 0) > 0;
  }

  /** Whether the result of the position is proved. */
  get solved() {
    const { ROOT, UNSOLVED } = this.#constants;
    return numberAt(this.#tree, "solved", ROOT) !== UNSOLVED;
  }

  /** Playouts in the tree, with those kept from earlier searches. */
  get visits() {
    return numberAt(this.#tree, "visits", this.#constants.ROOT);
  }

  /**
   * The best turns, best first; none while no turn is visited to its end.
   * @param {number} count
   * @returns {Candidate[]}
   */
  candidates(count) {
    return this.#position ? this.#readout.candidates(this.#position, this.#tree, count) : [];
  }

  /**
   * The worth of each of `steps` as the next one of a turn (engine/search/step_worths.py).
   * @param {readonly number[]} path the steps of the turn so far
   * @param {readonly number[]} steps
   * @returns {number[]} NaN where nothing is known
   */
  stepWorths(path, steps) {
    const { NOTHING, ROOT } = this.#constants;
    const { tuning } = this.#options;
    const tree = this.#tree;
    let [node, table] = [ROOT, numberAt(tree, "table", ROOT)];
    for (const step of path) {
      node = node === NOTHING ? NOTHING : this.#childOf(node, step);
      const isKnown = node !== NOTHING &&
        numberAt(tree, "visits", node) >= Number(tuning["reference_visits"]);
      const own = isKnown ? numberAt(tree, "table", node) : NOTHING;
      table = own === NOTHING ? table : own;
    }
    const asked = /** @type {MemoryArray} */ (this.#work["steps"]).first(steps.length);
    /** @type {Int16Array} */ (asked.numbers).set(steps);
    const mover = numberAt(tree, "mover", ROOT);
    const worths = this.#worths;
    this.#kernels.call("fill_worths", tree, node, table, mover, asked, tuning, worths);
    return Array.from(worths.numbers.subarray(0, steps.length), Number);
  }
}

/**
 * The turns from an earlier position to a later one; null if it does not follow.
 * @param {Position | null} earlier
 * @param {Position} later
 */
function turnsBetween(earlier, later) {
  const follows = earlier?.turns.every((turn, ply) => turn === later.turns[ply]);
  return earlier && follows ? later.turns.slice(earlier.turns.length) : null;
}

/**
 * A seed that is not zero for the random numbers of a turn, by SplitMix64.
 * @param {bigint} seed
 * @param {number} turn
 */
function stream(seed, turn) {
  const word = seed * STEP + BigInt(turn) * 0xD1342543DE82EF95n + 1n;
  return mixed(BigInt.asUintN(64, word)) || 1n;
}
