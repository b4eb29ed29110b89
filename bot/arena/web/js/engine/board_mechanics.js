/** The mechanics of games on a fixed board: their states are copies of the kernel's records. */

import { PASS, placementOf } from "../shared/steps.js";
import { SavedRecord } from "./kernels.js";
import { Refusal } from "./refusal.js";

/** @import { PositionView, Seat } from "../shared/wire.d.ts" */
/** @import { Kernels, MemoryArray, MemoryRecord } from "./kernels.js" */
/** @import { BoardGame, Choices, Mechanics } from "./mechanics.d.ts" */

const MOST_STEPS = 2;

/** @implements {Mechanics<SavedRecord>} */
export class BoardMechanics {
  #kernels;
  #board;
  #game;
  /** The notation of each placement code. */
  #names;
  /** @type {Map<string, number>} */
  #codes;
  #cells;
  /** The state in which steps are played. @type {MemoryRecord} */
  #state;
  /** The codes that the kernel lists. @type {MemoryArray} */
  #out;

  /**
   * @param {Kernels} kernels
   * @param {MemoryRecord} board
   * @param {string[]} names of the placement codes
   * @param {BoardGame} game
   */
  constructor(kernels, board, names, game) {
    this.#kernels = kernels;
    this.#board = board;
    this.#game = game;
    this.#names = names;
    this.#codes = new Map(names.map((name, code) => [name, code]));
    this.#cells = names
      .filter((_, code) => code % game.kinds === 0)
      .map((name) => placementOf(name, game.kinds).cell);
    this.#state = kernels.record("state");
    this.#out = kernels.array("int16", names.length + 2);
    this.kinds = game.kinds;
    this.canonical = game.canonical;
    this.scores = game.scores;
  }

  start() {
    this.#kernels.call("start", this.#board, this.#state);
    return this.#state.saved;
  }

  /** @param {SavedRecord} state */
  toPlay(state) {
    return /** @type {Seat} */ (state.get("player"));
  }

  /** @param {SavedRecord} state */
  isOver(state) {
    return state.get("over") !== 0;
  }

  /** @param {SavedRecord} state */
  winner(state) {
    this.write(state, this.#state);
    const outcome = this.#kernels.call("outcome", this.#board, this.#state);
    return outcome === 0 ? null : /** @type {Seat} */ (outcome);
  }

  /** @param {SavedRecord} state */
  stones(state) {
    /** @type {PositionView["stones"]} */
    const stones = {};
    const contents = state.field("cells");
    for (const [place, cell] of this.#cells.entries()) {
      const content = Number(contents[place]);
      if (content !== 0) {
        stones[cell] = this.#game.stone(content);
      }
    }
    return stones;
  }

  /**
   * @param {SavedRecord} before
   * @param {SavedRecord} after
   */
  captured(before, after) {
    return this.#game.captured(before, after).map((place) => this.#cells[place] ?? "");
  }

  /** @param {SavedRecord} state */
  earlyEnd(state) {
    return this.#game.earlyEnd?.(this.#board, state) ?? null;
  }

  /** @param {SavedRecord} state */
  marks(state) {
    const words = [...this.#game.marks(state)];
    return Object.fromEntries(words.map(([place, word]) => [this.#cells[place], word]));
  }

  /**
   * @param {SavedRecord} before
   * @param {string} turn
   */
  playTurn(before, turn) {
    const steps = this.#parse(turn);
    if (steps instanceof Refusal) {
      return steps;
    }
    const state = this.#state;
    this.write(before, state);
    for (const [played, step] of steps.entries()) {
      const hasEnded = played > 0 && state.get("step") === 0;
      if (hasEnded || !this.#tryStep(step)) {
        return this.#why(before, steps.slice(0, played + 1));
      }
    }
    const { STOP = 0 } = this.#kernels.layout.constants;
    if (state.get("step") === 1 && !this.#tryStep(STOP)) {
      return this.#why(before, steps);
    }
    return state.saved;
  }

  /** @param {number} step */
  #tryStep(step) {
    return this.#kernels.call("try_step", this.#board, this.#state, step) !== 0;
  }

  /**
   * @param {SavedRecord} before
   * @param {number[]} steps
   */
  #why(before, steps) {
    return new Refusal(this.#game.why(this.#board, before, this.#state, steps));
  }

  /**
   * The step codes of a turn in canonical form.
   * @param {string} turn
   */
  #parse(turn) {
    if (turn === PASS && this.#game.hasPass) {
      return [this.#pass];
    }
    const parts = turn.split(",");
    const isStep = (/** @type {string} */ part) => this.kinds === 1 ? part : /^[12]/.test(part);
    if (turn === PASS || parts.length > MOST_STEPS || !parts.every(isStep)) {
      return new Refusal("malformed");
    }
    const codes = parts.flatMap((part) => this.#codes.get(part) ?? []);
    return codes.length < parts.length ? new Refusal("unknown-cell") : codes;
  }

  get #pass() {
    return this.#kernels.layout.constants["PASS"] ?? 0;
  }

  /**
   * @param {SavedRecord} before
   * @param {string[]} chosen
   * @returns {Choices}
   */
  choices(before, chosen) {
    const codes = this.#following(before, chosen);
    const drafted = this.drafted(before, chosen);
    return {
      legal: codes.flatMap((code) => this.#names[code] ?? []),
      complete: drafted !== null && drafted.get("step") === 0,
      may_pass: codes.includes(this.#pass),
      captured: drafted ? this.captured(before, drafted) : [],
    };
  }

  /**
   * @param {SavedRecord} before
   * @param {string[]} chosen
   */
  drafted(before, chosen) {
    const after = chosen.length > 0 && this.playTurn(before, this.canonical(chosen.join(",")));
    if (after instanceof SavedRecord) {
      return after;
    }
    this.#following(before, chosen);
    return this.#state.get("step") === 1 ? this.#state.saved : null;
  }

  /**
   * Play the chosen steps, and list the codes of those that may follow: none if the chosen ones are
   * illegal or end the turn.
   * @param {SavedRecord} before
   * @param {string[]} chosen
   * @returns {number[]}
   */
  #following(before, chosen) {
    const state = this.#state;
    this.write(before, state);
    for (const [place, step] of chosen.entries()) {
      const hasEnded = place > 0 && state.get("step") === 0;
      const code = this.#codes.get(step);
      if (hasEnded || code === undefined || !this.#tryStep(code)) {
        return [];
      }
    }
    if (chosen.length > 0 && state.get("step") === 0) {
      return [];
    }
    const count = this.#kernels.call("legal_steps", this.#board, state, this.#out);
    return Array.from(this.#out.numbers.subarray(0, count), Number);
  }

  /**
   * @param {SavedRecord} state
   * @param {MemoryRecord} record
   */
  write(state, record) {
    record.bytes.set(state.bytes);
  }

  /** All positions of a game have the same codes. */
  frame() {
    return "";
  }

  /**
   * @param {SavedRecord} _state
   * @param {number} code
   */
  stepName(_state, code) {
    return this.#names[code] ?? "";
  }

  /**
   * @param {SavedRecord} _state
   * @param {string} turn
   */
  stepsOf(_state, turn) {
    const steps = this.#parse(turn);
    return steps instanceof Refusal ? null : steps;
  }
}
