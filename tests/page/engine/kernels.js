/// <reference lib="deno.ns" />
/** Repeats with WebAssembly what `native.py` has done with native kernels. */

import { rulesOf } from "../../../bot/arena/web/js/engine/load.js";
import { noNetwork } from "../../../bot/arena/web/js/engine/network.js";
import { Searcher } from "../../../bot/arena/web/js/engine/searcher.js";
import { answerCalls } from "../answering.js";
import { Built, digest } from "./built.js";

/** @import { Kernels, MemoryArray, MemoryRecord } from "../../../bot/arena/web/js/engine/kernels.js" */
/** @import { Layout } from "../../../bot/arena/web/js/engine/layout.d.ts" */
/** @import { Position } from "../../../bot/arena/web/js/engine/rules.js" */

/** @typedef {{ board: string, rules: string, options: Record<string, string | number>, parts: Part[] }} Replay */
/** @typedef {{ stones?: [number, number][], numbers?: [number, number], steps: number[] }} Part */
/**
 * @typedef {object} Search
 * @property {string} board
 * @property {string} state in base64
 * @property {number} ply
 * @property {number} seed
 * @property {number} megabytes
 * @property {boolean} network whether the network judges positions
 * @property {number} playouts
 * @property {number} proof_nodes
 */

/** @param {string} text in base64 */
function bytesOf(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

/** @param {string} file */
function read(file) {
  return JSON.parse(Deno.readTextFileSync(file));
}

/**
 * @param {string} folder
 * @param {string} game
 * @param {string} file of the cases
 */
function replays(folder, game, file) {
  const built = new Built(folder, game);
  const { cases } = /** @type {{ cases: Replay[] }} */ (read(file));
  return cases.map((each) => replay(built, each));
}

/**
 * @param {Built} built
 * @param {Replay} game
 */
function replay(built, game) {
  const kernels = built.kernels();
  const board = kernels.board(built.board(game.board), game);
  const out = kernels.array("int16", board.get("n_steps") + 2);
  return game.parts.flatMap(({ stones, numbers, steps }) => {
    const state = kernels.record("state");
    if (stones && numbers) {
      const [cells, players] = [
        kernels.array("int16", stones.length),
        kernels.array("int64", stones.length),
      ];
      fill(cells, stones.map(([cell]) => cell));
      fill(players, stones.map(([, player]) => player));
      kernels.call("set_up", board, state, cells, players, ...numbers);
    } else {
      kernels.call("start", board, state);
    }
    return steps.map((step) => stepped(kernels, board, state, step, out));
  });
}

/**
 * @param {Kernels} kernels
 * @param {MemoryRecord} board
 * @param {MemoryRecord} state
 * @param {number} step
 * @param {MemoryArray} out
 */
function stepped(kernels, board, state, step, out) {
  if (!kernels.call("try_step", board, state, step)) {
    throw new Error(`${step} is not legal`);
  }
  const lists = ["legal_steps", "promising_steps"].map((name) => {
    const count = kernels.call(name, board, state, out);
    return out.numbers.slice(0, count);
  });
  const outcome = kernels.call("outcome", board, state);
  return digest(state.bytes, ...lists, new Uint8Array([outcome]));
}

/**
 * @param {string} folder
 * @param {string} game
 * @param {string} file of the cases
 */
function searches(folder, game, file) {
  const built = new Built(folder, game);
  const { cases } = /** @type {{ cases: Search[] }} */ (read(file));
  return cases.map((each) => search(built, each));
}

/**
 * @param {Built} built
 * @param {Search} search
 */
function search(
  built,
  { board, state, ply, seed, megabytes, network, playouts, proof_nodes: nodes },
) {
  const { game, layout } = built;
  const rules = rulesOf(built, built.board(board), { game, board, rules: null, options: {} });
  const searcher = new Searcher(rules, {
    ...{ megabytes, seed: BigInt(seed) },
    tuning: network ? layout.tunings.network : layout.tunings.playouts,
    network: network ? built.network(rules) : noNetwork(rules.kernels),
  });
  const write = (/** @type {MemoryRecord} */ record) => record.bytes.set(bytesOf(state));
  searcher.moveTo(/** @type {Position} */ (/** @type {unknown} */ ({ turns: [], ply, write })));
  searcher.grow(playouts);
  searcher.prove(nodes);
  return treeDigests(layout, searcher.tree);
}

/**
 * @param {Layout} layout
 * @param {Readonly<Record<string, MemoryArray>>} tree
 */
function treeDigests(layout, tree) {
  const { NODES, EDGES, TABLES, ROOT } = layout.constants;
  const counts = [...(tree["used"]?.numbers ?? [])].map(Number);
  /** @type {Record<string, number | undefined>} */
  const used = {
    child: counts[EDGES],
    step: counts[EDGES],
    prior: counts[EDGES],
    amaf_visits: counts[TABLES],
    amaf_points: counts[TABLES],
    used: 3,
  };
  const digests = Object.entries(tree).map(([name, array]) => {
    const rows = used[name] ?? counts[NODES] ?? 0;
    const row = array.shape.slice(1).reduce((product, extent) => product * extent, 1);
    return [name, digest(array.numbers.subarray(0, rows * row))];
  });
  const root = ["visits", "solved"].map((name) => tree[name]?.numbers[ROOT]);
  return Object.fromEntries([...digests, ["counts", [...counts, ...root].join(" ")]]);
}

/**
 * @param {MemoryArray} array
 * @param {(number | bigint)[]} numbers
 */
function fill(array, numbers) {
  const { numbers: target } = array;
  if (target instanceof BigInt64Array || target instanceof BigUint64Array) {
    target.set(numbers.map(BigInt));
  } else {
    target.set(numbers.map(Number));
  }
}

/**
 * The digest of a board record.
 * @param {string} folder
 * @param {string} game
 * @param {{ board: string, rules: string, options: Record<string, string | number> }} setup
 */
function boardDigest(folder, game, setup) {
  const built = new Built(folder, game);
  const board = built.kernels().board(built.board(setup.board), setup);
  return digest(board.bytes);
}

/**
 * Why there is no board record.
 * @param {string} folder
 * @param {string} game
 * @param {{ board: string, rules: string, options: Record<string, string | number> }} setup
 */
function boardRefusal(folder, game, setup) {
  try {
    boardDigest(folder, game, setup);
  } catch (error) {
    return error instanceof RangeError ? error.message : null;
  }
  return null;
}

/**
 * The message of the error that a call raises.
 * @param {string} folder
 * @param {string} game
 * @param {string} entry
 * @param {...number} values
 */
function refusal(folder, game, entry, ...values) {
  try {
    new Built(folder, game).kernels().call(entry, ...values);
  } catch (error) {
    return error instanceof TypeError ? error.message : null;
  }
  return null;
}

if (import.meta.main) {
  await answerCalls({ boardDigest, boardRefusal, refusal, replays, searches });
}
