/// <reference lib="deno.ns" />
/** What `tools/ahead` has built of a game, for the scripts of these tests. */

import { createHash } from "node:crypto";
import { Kernels } from "../../../bot/arena/web/js/engine/kernels.js";
import { networkOf } from "../../../bot/arena/web/js/engine/network.js";

/** @import { Network } from "../../../bot/arena/web/js/engine/network.js" */
/** @import { Rules } from "../../../bot/arena/web/js/engine/rules.js" */
/** @import { BoardLayout, Layout } from "../../../bot/arena/web/js/engine/layout.d.ts" */

/** @param {(ArrayBufferView | Uint8Array)[]} parts */
export function digest(...parts) {
  const hash = createHash("sha256");
  for (const part of parts) {
    hash.update(new Uint8Array(part.buffer, part.byteOffset, part.byteLength));
  }
  return hash.digest("hex").slice(0, 12);
}

/** The files of a game that `tools/ahead` has built. */
export class Built {
  /**
   * @param {string} folder
   * @param {string} game
   */
  constructor(folder, game) {
    this.folder = folder;
    this.game = game;
    this.module = new WebAssembly.Module(Deno.readFileSync(`${folder}/${game}.wasm`));
    /** @type {Layout} */
    this.layout = JSON.parse(Deno.readTextFileSync(`${folder}/${game}.json`));
  }

  /**
   * @param {string} name
   * @returns {BoardLayout}
   */
  board(name) {
    return JSON.parse(Deno.readTextFileSync(`${this.folder}/${this.game}-${name}.json`));
  }

  kernels() {
    return new Kernels(this.module, this.layout);
  }

  /**
   * The network of a board that has one.
   * @param {Rules} rules
   * @returns {Network}
   */
  network({ kernels, boardLayout: { network } }) {
    if (!this.layout.network || !network) {
      throw new Error(`${this.game} has no network`);
    }
    const weights = Deno.readFileSync(`${this.folder}/${network.weights}`);
    return networkOf(kernels, this.layout.network, network, weights);
  }
}
