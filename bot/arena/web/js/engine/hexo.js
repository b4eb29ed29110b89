/**
 * HeXO's rules on the unbounded board (engine/games/hexo/unbounded.py and mechanics.py).
 *
 * The kernels see a window of the board and serve the search alone: these rules are exact at any
 * distance from the origin.
 */

import { PASS } from "../shared/steps.js";
import { codeOf, frameOf, stepName } from "./hexo_frame.js";
import { cellName, cellOf, disk, inReadingOrder, ORIGIN, STRIDES } from "./plane.js";
import { Refusal } from "./refusal.js";

/** @import { PositionView, Seat } from "../shared/wire.d.ts" */
/** @import { Kernels, MemoryArray, MemoryRecord } from "./kernels.js" */
/** @import { Choices, Mechanics } from "./mechanics.d.ts" */

/** What leads to the cells within reach of a stone. */
const REACHED = disk(8);
/** The stones in a row that win. */
const TO_WIN = 6;
const MOST_STEPS = 2;

/**
 * The stones at some moment of a game, in the middle of a turn too. Nobody changes it.
 * @typedef {object} HexoState
 * @property {ReadonlyMap<number, Seat>} stones the player of each cell, oldest first
 * @property {number} turn the number of the current turn, from 1
 * @property {number | null} first the first stone of the current turn, if a second one must follow
 * @property {[number, number]} longest the longest row of each player
 */

/** @implements {Mechanics<HexoState>} */
export class HexoMechanics {
  #kernels;
  #board;
  /** The number of turns after which the game is a draw; 0 for none. */
  #cap;
  /** The stones for `set_up`. @type {{ cells: MemoryArray, players: MemoryArray } | null} */
  #seen = null;
  /** The middle of each state's window. @type {WeakMap<HexoState, number>} */
  #centres = new WeakMap();
  kinds = 1;

  /**
   * @param {Kernels} kernels
   * @param {MemoryRecord} board
   */
  constructor(kernels, board) {
    this.#kernels = kernels;
    this.#board = board;
    this.#cap = board.get("cap");
  }

  /** @returns {HexoState} */
  start() {
    return { stones: new Map(), turn: 1, first: null, longest: [0, 0] };
  }

  /** @param {HexoState} state */
  toPlay({ turn }) {
    return turn % 2 === 1 ? 1 : 2;
  }

  /** @param {HexoState} state */
  isOver(state) {
    return this.winner(state) !== null || (this.#cap > 0 && this.#cap < state.turn);
  }

  /**
   * @param {HexoState} state
   * @returns {Seat | null}
   */
  winner({ longest: [one, two] }) {
    return one >= TO_WIN ? 1 : two >= TO_WIN ? 2 : null;
  }

  /** @param {HexoState} state */
  stones({ stones }) {
    /** @type {PositionView["stones"]} */
    const found = {};
    for (const cell of inReadingOrder(stones.keys())) {
      found[cellName(cell)] = [stones.get(cell) ?? 1, 1];
    }
    return found;
  }

  captured() {
    return [];
  }

  marks() {
    return {};
  }

  /**
   * @param {HexoState} state
   * @returns {[number[], number[]]}
   */
  scores({ longest: [one, two] }) {
    return [[one], [two]];
  }

  /** @param {string} turn */
  canonical(turn) {
    return turn;
  }

  /**
   * @param {HexoState} before
   * @param {string} turn
   * @returns {HexoState | Refusal}
   */
  playTurn(before, turn) {
    const cells = parse(turn);
    if (cells instanceof Refusal) {
      return cells;
    }
    let state = before;
    for (const [place, cell] of cells.entries()) {
      const rule = place > 0 && state.first === null ? "one-stone" : this.#whyNot(state, cell);
      if (rule) {
        return new Refusal(rule);
      }
      state = this.#placed(state, cell);
    }
    return state.first === null ? state : new Refusal("two-stones");
  }

  /**
   * The rule that forbids the next stone on a cell; null if none does.
   * @param {HexoState} state
   * @param {number} cell
   */
  #whyNot(state, cell) {
    const { stones } = state;
    if (this.isOver(state)) {
      return "game-over";
    }
    if (cell === state.first) {
      return "same-cell";
    }
    if (stones.has(cell)) {
      return "occupied";
    }
    if (stones.size === 0) {
      return cell === ORIGIN ? null : "off-origin";
    }
    return REACHED.some((way) => stones.has(cell + way)) ? null : "out-of-range";
  }

  /**
   * The state after a legal stone.
   * @param {HexoState} state
   * @param {number} cell
   * @returns {HexoState}
   */
  #placed(state, cell) {
    const player = this.toPlay(state);
    const stones = new Map(state.stones).set(cell, player);
    const row = longestRow(stones, cell);
    const [one, two] = state.longest;
    /** @type {[number, number]} */
    const longest = player === 1 ? [Math.max(one, row), two] : [one, Math.max(two, row)];
    const endsTurn = state.first !== null || state.turn === 1 || row >= TO_WIN;
    const turn = endsTurn ? state.turn + 1 : state.turn;
    return { stones, turn, first: endsTurn ? null : cell, longest };
  }

  /**
   * @param {HexoState} before
   * @param {string[]} chosen
   * @returns {Choices}
   */
  choices(before, chosen) {
    const state = this.#after(before, chosen);
    const drafted = this.drafted(before, chosen);
    return {
      legal: state === null ? [] : this.#legal(state),
      complete: drafted !== null && drafted.first === null,
      may_pass: false,
      captured: [],
    };
  }

  /**
   * @param {HexoState} before
   * @param {string[]} chosen
   */
  drafted(before, chosen) {
    if (chosen.length === 0) {
      return null;
    }
    const after = this.playTurn(before, chosen.join(","));
    return after instanceof Refusal ? this.#after(before, chosen) : after;
  }

  /**
   * The state in which the next step is placed; null if none may follow `chosen`.
   * @param {HexoState} before
   * @param {string[]} chosen
   */
  #after(before, chosen) {
    let state = before;
    for (const step of chosen) {
      const cell = cellOf(step);
      if (cell === null || this.#whyNot(state, cell) !== null) {
        return null;
      }
      state = this.#placed(state, cell);
      if (state.first === null) {
        return null;
      }
    }
    return state;
  }

  /**
   * The cells on which the next stone may be placed.
   * @param {HexoState} state
   */
  #legal(state) {
    const { stones } = state;
    if (this.isOver(state)) {
      return [];
    }
    if (stones.size === 0) {
      return [cellName(ORIGIN)];
    }
    /** @type {Set<number>} */
    const reached = new Set();
    for (const stone of stones.keys()) {
      for (const way of REACHED) {
        reached.add(stone + way);
      }
    }
    for (const stone of stones.keys()) {
      reached.delete(stone);
    }
    return Array.from(inReadingOrder(reached), cellName);
  }

  /**
   * @param {HexoState} state
   * @param {MemoryRecord} record
   */
  write(state, record) {
    const { stones, turn } = state;
    const centre = this.#centre(state);
    const seen = [...stones].flatMap(([cell, player]) => {
      const code = codeOf(cell, centre);
      return code === null ? [] : [{ code, player }];
    });
    const [cells, players] = this.#seenStones(seen.length);
    cells.numbers.set(/** @type {never} */ (seen.map(({ code }) => code)));
    players.numbers.set(/** @type {never} */ (seen.map(({ player }) => BigInt(player))));
    const values = /** @type {const} */ ([cells, players, turn, this.winner(state) ?? 0]);
    this.#kernels.call("set_up", this.#board, record, ...values);
  }

  /**
   * Memory for some stones. It is reserved once, for as many as a window has.
   * @param {number} count
   * @returns {[MemoryArray, MemoryArray]} their codes and players
   */
  #seenStones(count) {
    const kernels = this.#kernels;
    const most = this.#board.get("n_cells");
    this.#seen ??= { cells: kernels.array("int16", most), players: kernels.array("int64", most) };
    const { cells, players } = this.#seen;
    return [cells.first(count), players.first(count)];
  }

  /** @param {HexoState} state */
  #centre(state) {
    const centre = this.#centres.get(state) ?? frameOf(state.stones, this.toPlay(state));
    this.#centres.set(state, centre);
    return centre;
  }

  /** @param {HexoState} state */
  frame(state) {
    return cellName(this.#centre(state));
  }

  /**
   * @param {HexoState} state
   * @param {number} code
   */
  stepName(state, code) {
    return stepName(code, this.#centre(state));
  }

  /**
   * @param {HexoState} state
   * @param {string} turn
   */
  stepsOf(state, turn) {
    const cells = parse(turn);
    const centre = this.#centre(state);
    const codes = cells instanceof Refusal ? [null] : cells.map((cell) => codeOf(cell, centre));
    const steps = codes.filter((code) => code !== null);
    return steps.length === codes.length ? steps : null;
  }
}

/**
 * The cells of a turn in canonical form.
 * @param {string} turn
 */
function parse(turn) {
  const parts = turn.split(",");
  if (turn === PASS || parts.length > MOST_STEPS || parts.includes("")) {
    return new Refusal("malformed");
  }
  const cells = parts.flatMap((part) => cellOf(part) ?? []);
  return cells.length < parts.length ? new Refusal("unknown-cell") : cells;
}

/**
 * The length of the longest row of one player's stones through the stone on a cell.
 * @param {ReadonlyMap<number, Seat>} stones
 * @param {number} cell
 */
function longestRow(stones, cell) {
  const player = stones.get(cell);
  const count = (/** @type {number} */ stride) => {
    let length = 0;
    while (stones.get(cell + (length + 1) * stride) === player) {
      length += 1;
    }
    return length;
  };
  return Math.max(...STRIDES.map((stride) => 1 + count(stride) + count(-stride)));
}
