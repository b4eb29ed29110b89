/**
 * Loads the rules of a game: its WebAssembly module, the layout of the module, and the board.
 *
 * It works in a window and in a worker. A worker is told where the files are.
 */

import { BLOOMS } from "./blooms.js";
import { BLUESTONE } from "./bluestone.js";
import { BoardMechanics } from "./board_mechanics.js";
import { FREEGO } from "./freego.js";
import { HexoMechanics } from "./hexo.js";
import { Kernels } from "./kernels.js";
import { networkOf } from "./network.js";
import { Rules } from "./rules.js";
import { STARGAZERS } from "./stargazers.js";

/** @import { BoardLayout, Layout } from "./layout.d.ts" */
/** @import { Network } from "./network.js" */
/** @import { BoardGame, Setup } from "./mechanics.d.ts" */

/**
 * Where the files of games are: the address of their folder, with a slash at its end, and what
 * follows their names. Another `fetch` serves programs that are no browsers.
 * @typedef {{ folder: string, query: string, fetch?: (address: string) => Promise<Response> }} Place
 */

/** @typedef {{ module: WebAssembly.Module, layout: Layout }} Code */

/** Games on fixed boards. @type {Record<string, BoardGame>} */
const GAMES = { bluestone: BLUESTONE, blooms: BLOOMS, stargazers: STARGAZERS, freego: FREEGO };

/** What is loaded, or on its way, by address. @type {Map<string, Promise<Code | BoardLayout>>} */
const loaded = new Map();

/**
 * Where the arena has the files of a game for its pages; null if it has none.
 * @param {string} game
 * @returns {Place | null}
 */
export function placeFor(game) {
  const { base = "", build, engine = "" } = document.documentElement.dataset;
  const folder = new URL(`${base}/engine/`, location.href).href;
  return engine.split(" ").includes(game) ? { folder, query: build ? `?v=${build}` : "" } : null;
}

/**
 * The rules of a setup. Each call makes kernels with memory of their own.
 * @param {Setup} setup
 * @param {Place | null} [place]
 * @returns {Promise<Rules | null>} null if there are no files for this game and board, or they
 *   cannot be loaded, or the browser has no WebAssembly with vectors of 128 bits
 */
export async function loadRules(setup, place = placeFor(setup.game)) {
  try {
    return place && await requireRules(setup, place);
  } catch {
    return null; // the server answers instead
  }
}

/**
 * The same as `loadRules`.
 * @param {Setup} setup
 * @param {Place} place
 * @throws {Error} they cannot be loaded
 */
export async function requireRules(setup, place) {
  const { game, board } = setup;
  const [code, boardLayout] = await Promise.all([
    once(place, `${game}.wasm`, () => loadCode(place, game)),
    once(place, `${game}-${board}.json`, (name) => loadDocument(place, name)),
  ]);
  return rulesOf(/** @type {Code} */ (code), /** @type {BoardLayout} */ (boardLayout), setup);
}

/**
 * The network for the rules of a setup, in the memory of their kernels.
 * @param {Rules} rules
 * @param {Place} place of the files
 * @returns {Promise<Network | null>} null if there is none
 */
export async function loadNetwork({ kernels, boardLayout, setup }, place) {
  const { network } = kernels.layout;
  const ofBoard = boardLayout.network;
  const rules = setup.rules ?? Object.keys(kernels.layout.rules)[0] ?? "";
  const isUsual = Object.keys(setup.options).length === 0;
  if (!network?.rules.includes(rules) || !ofBoard || !isUsual) {
    return null;
  }
  const response = await fetched(place, ofBoard.weights);
  return networkOf(kernels, network, ofBoard, new Uint8Array(await response.arrayBuffer()));
}

/**
 * @param {Code} code
 * @param {BoardLayout} boardLayout
 * @param {Setup} setup
 */
export function rulesOf({ module, layout }, boardLayout, setup) {
  const kernels = new Kernels(module, layout);
  const board = kernels.board(boardLayout, setup);
  const game = GAMES[setup.game];
  if (!game && setup.game !== "hexo") {
    throw new TypeError(`the page has no rules of ${setup.game}`);
  }
  const mechanics = game
    ? new BoardMechanics(kernels, board, boardLayout.steps.split(" "), game)
    : new HexoMechanics(kernels, board);
  return new Rules(kernels, board, boardLayout, setup, mechanics);
}

/**
 * @param {Place} place
 * @param {string} name of a file
 * @param {(name: string) => Promise<Code | BoardLayout>} load
 */
function once(place, name, load) {
  const address = addressOf(place, name);
  const known = loaded.get(address);
  if (known) {
    return known;
  }
  const found = load(name);
  loaded.set(address, found);
  found.catch(() => loaded.delete(address)); // the next call tries again
  return found;
}

/**
 * @param {Place} place
 * @param {string} game
 * @returns {Promise<Code>}
 */
async function loadCode(place, game) {
  const [module, layout] = await Promise.all([
    fetched(place, `${game}.wasm`)
      .then((response) => response.arrayBuffer())
      .then((bytes) => WebAssembly.compile(bytes)),
    loadDocument(place, `${game}.json`),
  ]);
  return { module, layout };
}

/**
 * @param {Place} place
 * @param {string} name
 */
async function loadDocument(place, name) {
  return (await fetched(place, name)).json();
}

/**
 * @param {Place} place
 * @param {string} name
 */
async function fetched(place, name) {
  const address = addressOf(place, name);
  const response = await (place.fetch ?? fetch)(address);
  if (!response.ok) {
    throw new Error(`${address} answered ${response.status}`);
  }
  return response;
}

/**
 * @param {Place} place
 * @param {string} name
 */
function addressOf({ folder, query }, name) {
  return `${folder}${name}${query}`;
}
