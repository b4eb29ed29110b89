/** The network that judges positions in the search, in the memory of kernels. */

/** @import { Kernels, MemoryArray } from "./kernels.js" */
/** @import { BoardNetwork, NetworkLayout } from "./layout.d.ts" */

/** @typedef {Record<string, MemoryArray>} Network its arrays by their names */

const TAPS = 7;

/**
 * A network without arrays: the search uses playouts only.
 * @param {Kernels} kernels
 * @returns {Network}
 */
export function noNetwork(kernels) {
  return kernels.tuple("Network", { taps: [0, TAPS] });
}

/**
 * The network of a board.
 * @param {Kernels} kernels
 * @param {NetworkLayout} layout
 * @param {BoardNetwork} board
 * @param {Uint8Array} weights the content of the file
 * @returns {Network}
 */
export function networkOf(kernels, { shapes }, board, weights) {
  const rows = board.taps.length / TAPS;
  const base = Uint8Array.from(atob(board.base), (letter) => letter.charCodeAt(0));
  const channels = base.length / Float32Array.BYTES_PER_ELEMENT / rows;
  const made = { ...shapes, taps: [rows, TAPS], base: [rows, channels] };
  const network = /** @type {Network} */ (kernels.tuple("Network", made));
  let read = 0;
  for (const name of Object.keys(shapes)) {
    read += fill(bytesOf(network, name), weights.subarray(read), size(network, name));
  }
  if (read !== weights.length) {
    throw new RangeError(`${board.weights} has ${weights.length} bytes, not ${read}`);
  }
  bytesOf(network, "base").set(base);
  /** @type {Int32Array} */ (network["taps"]?.numbers).set(board.taps);
  return network;
}

/**
 * Fill an array from the lowest bytes of all numbers, then the next ones, and so on.
 * @param {Uint8Array} bytes of the array
 * @param {Uint8Array} weights
 * @param {number} width bytes of a number
 */
function fill(bytes, weights, width) {
  const count = bytes.length / width;
  for (let place = 0; place < bytes.length; place++) {
    bytes[(place % count) * width + Math.floor(place / count)] = weights[place] ?? 0;
  }
  return bytes.length;
}

/**
 * @param {Network} network
 * @param {string} name
 */
function bytesOf(network, name) {
  const { buffer, byteOffset, byteLength } = /** @type {MemoryArray} */ (network[name]).numbers;
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/**
 * @param {Network} network
 * @param {string} name
 */
function size(network, name) {
  return /** @type {MemoryArray} */ (network[name]).numbers.BYTES_PER_ELEMENT;
}
