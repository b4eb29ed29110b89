/** What `python -m tools.ahead` writes beside a game's WebAssembly module (tools/ahead/web_layout.py). */

/** The type of numbers in memory, as NumPy names it. */
export type NumberType =
  | "int8"
  | "uint8"
  | "int16"
  | "uint16"
  | "int32"
  | "uint32"
  | "int64"
  | "uint64"
  | "float32"
  | "float64";

/** What an entry takes: a number, or the address of a record or an array, or the parts of a tuple. */
export type Kind =
  | "int"
  | "float"
  | "bool"
  | { record: string }
  | { array: NumberType; dimensions: number }
  | { tuple: string };

/** Names and kinds in their order: the arguments of an entry or the fields of a tuple. */
export type Parts = [string, Kind][];

/** A field of a record: a number if the shape is empty, else an array. */
export interface Field {
  type: NumberType;
  /** In bytes from the record's address. */
  offset: number;
  shape: number[];
}

export interface RecordLayout {
  /** In bytes. */
  size: number;
  fields: Record<string, Field>;
}

/** The file `GAME.json`. */
export interface Layout {
  game: string;
  /** The version of the engine's sources. */
  sources: string;
  constants: Constants;
  /** By `board`, `state` and, in games with a prover, `memory`. */
  records: Record<string, RecordLayout>;
  /** The fields of each type of tuple, by its name. */
  tuples: Record<string, Parts>;
  entries: Record<string, { takes: Parts; gives: "int" | "bool" | "none" }>;
  /** The parameters of the search without and with a network, and for coarse judgement. */
  tunings: { playouts: Tuning; network: Tuning; coarse: Tuning };
  /** null: the game has no network. */
  network: NetworkLayout | null;
  /** The fields of the board record that a rule set changes, by its name. */
  rules: Record<string, FieldValues>;
  /** For each option, the field that takes its number, or the fields by its words. */
  options: Record<string, string | Record<string, FieldValues>>;
  /** Fields whose numbers must be smaller than those of other fields. */
  below: Record<string, string>;
}

/** Constants of the engine, as its modules describe them. */
export interface Constants {
  BYTES_PER_EDGE: number;
  BYTES_PER_NODE: number;
  CANDIDATES: number;
  DRAWN: number;
  EDGES: number;
  FIRST_CHUNK: number;
  LONGEST_LINE: number;
  LONGEST_PATH: number;
  LOST: number;
  NODES: number;
  NODES_PER_PLAYOUT: number;
  NOTHING: number;
  NO_PROOF: number;
  OPTIMISM: number;
  PASS: number;
  PLAYOUTS_PER_PROOF: number;
  ROOT: number;
  SLOPE: number;
  STOP: number;
  TABLES: number;
  TABLES_FOR_NETWORK: number;
  TABLES_FOR_PLAYOUTS: number;
  UNPROVED: number;
  UNSOLVED: number;
  WIN: number;
  WON: number;
  WORTH_A_LINE: number;
}

/** The networks of a game (tools/ahead/web_network.py). */
export interface NetworkLayout {
  /** The rule sets with which they may be used. */
  rules: string[];
  /** Of the arrays in a file of weights, in their order there. */
  shapes: Record<string, number[]>;
}

/** A level of play on a board (engine/players/levels.py). */
export interface Level {
  /** Playouts per turn without a network; null for no bound. */
  playouts: number | null;
  /** The same with a network; 0: the level plays without it. */
  judged: number | null;
  /** Standard deviations that a chosen stone may seem to be behind the best; 0: none. */
  coarseness: number;
}

/** What a network must know of a board. */
export interface BoardNetwork {
  /** The name of the file with the weights. */
  weights: string;
  /** The rows that the convolution of each row reads, seven each. */
  taps: number[];
  /** The contribution of the board to the first layer: base64 of float32 numbers. */
  base: string;
}

/** The parameters of the search (engine/search/tuning.py). */
export type Tuning = Record<string, number | boolean>;

/** The file `GAME-BOARD.json`: a board with the first rule set and the default options. */
export interface BoardLayout {
  /** The names of the placement codes, with blanks between them; empty if a position decides. */
  steps: string;
  record: FieldValues;
  /** The levels of play, the lowest first. */
  levels: Level[];
  /** null: there is no network for this board. */
  network: BoardNetwork | null;
}

/**
 * The values of a record's fields. An array is without the zeros at its end, in one dimension. Text
 * stands for numbers beyond the exact ones of JavaScript. Instead of an array, `splitmix64` stands
 * for the numbers of `randomWords`.
 */
export type FieldValues = Record<string, number | string | (number | string)[]>;
