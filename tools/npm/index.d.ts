/** What a game is played with. README.md lists all games. */
export interface Setup {
  game: string;
  board: string;
  /** By default the first rule set of the game. */
  rules?: string | null;
  /** Those that differ from their defaults. */
  options?: Record<string, string | number>;
}

/**
 * Load a game: its WebAssembly module and its board.
 *
 * @param where `folder` is the address of the folder with the files of games, with a slash at its
 *   end; by default `engine/` of this package. A bundler may need it.
 * @throws {RangeError} the package does not have this game, board, rule set or option; the message
 *   lists those that it has
 * @throws {Error} a file cannot be read, or WebAssembly is missing
 */
export function loadGame(setup: Setup, where?: { folder?: string }): Promise<Game>;

export interface Game {
  readonly setup: Required<Setup>;
  /** The position before the first turn. */
  start(): Position;
  /**
   * The position after some turns.
   * @throws {IllegalTurn}
   */
  replay(turns: readonly string[]): Position;
  /** A player of a level, which has memory of its own. */
  player(options?: PlayerOptions): Promise<Player>;
}

/** A player of the game: 1 moves first. */
export type Seat = 1 | 2;

/** A position between two turns. It is immutable. */
export interface Position {
  /**
   * The turns that led to it, without blanks and capitals. In Blooms the two stones of a turn are in
   * a canonical order; the other games keep the order that was played.
   */
  readonly turns: readonly string[];
  /** How many these are. */
  readonly ply: number;
  /** The player to move. */
  readonly toPlay: Seat;
  readonly over: boolean;
  /** Null for a draw, and until the game is over. */
  readonly winner: Seat | null;
  /**
   * The position after a turn, such as `3-8,5-22` or `pass`.
   * @throws {IllegalTurn}
   */
  play(turn: string): Position;
  /**
   * The steps that may follow the chosen ones of a turn.
   * @param chosen the steps so far
   * @param about a step to explain if it is illegal
   */
  legal(chosen: readonly string[], about?: string): LegalView;
  /** The position as a page draws it. */
  view(): PositionView;
}

export interface LegalView {
  ply: number;
  /** Steps that may be chosen next. */
  legal: string[];
  /**
   * The step `about` with the rule that it breaks; empty if it breaks none. `message` is empty: a
   * program has words of its own.
   */
  illegal: Record<string, { rule: string; message: string }>;
  /** Whether the chosen steps are a legal turn as they are. */
  complete: boolean;
  /** Whether the turn may be a pass; false once a stone is chosen. */
  may_pass: boolean;
  /** Cells that the chosen steps would clear. */
  captured: string[];
}

export interface PositionView {
  ply: number;
  to_play: Seat;
  /** By the name of the cell: the player, and the kind of the stone. */
  stones: Record<string, [Seat, number]>;
  /** Cells of the last turn. */
  last: string[];
  /** Cells that the last turn cleared. */
  captured: string[];
  /** By the name of the cell: a word for a stone with a special state. */
  marks: Record<string, string>;
  scores: [number[], number[]];
  over: boolean;
  winner: Seat | null;
}

/** A turn breaks a rule. */
export class IllegalTurn extends Error {
  constructor(rule: string);
  /** A word for the rule. */
  rule: string;
}

export interface PlayerOptions {
  /** From 1 for the weakest to 10, the default, the only one without a number of playouts. */
  level?: number;
  /** Memory for the search, by default 64. */
  megabytes?: number;
  /** Of the search: the same seed, positions and playouts give the same turns at level 10. */
  seed?: bigint;
  /** Random numbers from 0 to below 1, for the choices of lower levels. */
  random?: () => number;
}

export interface Player {
  /**
   * Search a position that is not over, and choose a turn.
   *
   * It works in the thread that calls it, and lets other work in every few milliseconds. A page
   * calls it in a worker.
   */
  choose(position: Position, limits: Limits, options?: ChooseOptions): Promise<Choice>;
}

/**
 * When a search ends by itself; without both, it runs until it is stopped or has a proof.
 *
 * Levels 1 to 9 end after a number of playouts of their own, which depends on game, board and level.
 * Limits only shorten that. Where a board has a network, levels from 5 on use it, so they need few
 * playouts.
 */
export interface Limits {
  playouts?: number | null;
  milliseconds?: number | null;
}

export interface ChooseOptions {
  /** How many candidates to find, by default 1. */
  lines?: number;
  /** Called a few times a second. */
  report?: (found: Found) => void;
  /** Ends the search, which then answers with what it has. */
  signal?: AbortSignal;
}

export interface Found {
  /** Best first. */
  candidates: Candidate[];
  /** Of this search. */
  playouts: number;
  /** Playouts in the tree, with those kept from earlier searches. */
  visits: number;
}

export interface Choice extends Found {
  turn: string;
}

export interface Candidate {
  turn: string;
  /** The chance of the player to move to win, from 0 to 1. */
  value: number;
  visits: number;
  /** The turns that the search expects; the first one is `turn`. */
  line: string[];
  /** 0, 0.5 or 1 if it is proved, else null. */
  result: number | null;
}
