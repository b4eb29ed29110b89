/// <reference lib="deno.ns" />
/** Repeats with WebAssembly what `native.py` has done with native kernels. */

import { answerCalls } from "../answering.js";
import { Built, digest } from "./built.js";

/** @import { Kernels, MemoryArray, MemoryRecord } from "../../../bot/arena/web/js/engine/kernels.js" */
/** @import { Layout } from "../../../bot/arena/web/js/engine/layout.d.ts" */

/** @typedef {{ board: string, rules: string, options: Record<string, string | number>, parts: Part[] }} Replay */
/** @typedef {{ stones?: [number, number][], numbers?: [number, number], steps: number[] }} Part */
/** @typedef {Record<string, { shape: number[], bytes: string }>} NetworkDocument */
/**
 * @typedef {object} Search
 * @property {string} board
 * @property {string} state in base64
 * @property {string} rng
 * @property {"playouts" | "network"} tuning
 * @property {Record<string, number[]>} shapes of the tree's arrays
 * @property {string} network its name
 * @property {number} playouts
 * @property {number} proof_nodes
 */

const NEVER = 2n ** 63n - 1n;

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
  /** @type {{ cases: Search[], networks: Record<string, NetworkDocument> }} */
  const { cases, networks } = read(file);
  return cases.map((each) => search(built, each, networks[each.network] ?? {}));
}

/**
 * @param {Built} built
 * @param {Search} search
 * @param {NetworkDocument} document
 */
function search(built, search, document) {
  const kernels = built.kernels();
  const { layout } = kernels;
  const board = kernels.board(built.board(search.board), { rules: "official", options: {} });
  const [root, state] = [kernels.record("state"), kernels.record("state")];
  root.bytes.set(bytesOf(search.state));
  const tree = arrays(kernels, "Tree", search.shapes);
  const network = arrays(kernels, "Network", shapesOf(document));
  for (const [name, { bytes }] of Object.entries(document)) {
    fillBytes(network[name], bytesOf(bytes));
  }
  const work = scratch(kernels, board.get("n_steps"), network);
  fill(work.rng, [BigInt(search.rng)]);
  fill(work.halt, [NEVER]);
  const left = kernels.array("int64", 1);
  fill(left, [search.playouts]);
  kernels.call("clear", tree);
  const tuning = layout.tunings[search.tuning];
  kernels.call("simulate", board, root, state, tree, work, tuning, network, left);
  const { steps, proofs, halt } = work;
  kernels.call("prove_root", board, root, state, tree, steps, proofs, search.proof_nodes, halt);
  return treeDigests(layout, tree);
}

/** @param {NetworkDocument} document */
function shapesOf(document) {
  return Object.fromEntries(Object.entries(document).map(([name, { shape }]) => [name, shape]));
}

/**
 * The arrays of a tuple.
 * @param {Kernels} kernels
 * @param {string} tuple
 * @param {Record<string, number[]>} shapes
 * @returns {Record<string, MemoryArray>}
 */
function arrays(kernels, tuple, shapes) {
  const parts = kernels.layout.tuples[tuple] ?? [];
  return Object.fromEntries(parts.map(([name, kind]) => {
    const type = typeof kind === "object" && "array" in kind ? kind.array : "int8";
    return [name, kernels.array(type, ...(shapes[name] ?? [0]))];
  }));
}

/**
 * The buffers of `engine.search.descent.scratch`.
 * @param {Kernels} kernels
 * @param {number} steps
 * @param {Record<string, MemoryArray>} network
 */
function scratch(kernels, steps, network) {
  const length = kernels.layout.constants["LONGEST_PATH"] ?? 0;
  const rows = network["base"]?.shape[0] ?? 0;
  const channels = network["policy"]?.shape[1] ?? 0;
  const hasProver = "memory" in kernels.layout.records;
  return {
    ...arrays(kernels, "Scratch", {
      path: [length],
      path_steps: [length],
      movers: [length],
      steps: [steps + 2],
      owner: [steps],
      standing: [2, steps],
      credit: [2, steps],
    }),
    rng: kernels.array("uint64", 1),
    halt: kernels.array("int64", 1),
    steps: kernels.array("int16", steps + 2),
    proofs: hasProver ? kernels.record("memory") : kernels.array("uint8", 0),
    thoughts: arrays(kernels, "Activations", {
      codes: [Math.max(rows, 1)],
      numbers: [Math.max(network["numbers"]?.shape[0] ?? 0, 1)],
      sums: [rows, channels],
      active: [rows, channels],
      whole: [rows + 1, channels],
      pooled: [2 * channels],
      logits: [steps],
      expected: [1],
    }),
  };
}

/**
 * @param {Layout} layout
 * @param {Record<string, MemoryArray>} tree
 */
function treeDigests(layout, tree) {
  const { NODES = 0, EDGES = 0, TABLES = 0, ROOT = 0 } = layout.constants;
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
 * @param {MemoryArray | undefined} array
 * @param {Uint8Array} bytes
 */
function fillBytes(array, bytes) {
  if (array) {
    const { buffer, byteOffset, byteLength } = array.numbers;
    new Uint8Array(buffer, byteOffset, byteLength).set(bytes);
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
  await answerCalls({ boardDigest, refusal, replays, searches });
}
