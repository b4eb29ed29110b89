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
  constants: Record<string, number>;
  /** By `board`, `state` and, in games with a prover, `memory`. */
  records: Record<string, RecordLayout>;
  /** The fields of each type of tuple, by its name. */
  tuples: Record<string, Parts>;
  entries: Record<string, { takes: Parts; gives: "int" | "bool" | "none" }>;
  /** The parameters of the search without and with a network. */
  tunings: { playouts: Tuning; network: Tuning };
  /** The fields of the board record that a rule set changes, by its name. */
  rules: Record<string, FieldValues>;
  /** For each option, the field that takes its number, or the fields by its words. */
  options: Record<string, string | Record<string, FieldValues>>;
}

/** The parameters of the search (engine/search/tuning.py). */
export type Tuning = Record<string, number | boolean>;

/** The file `GAME-BOARD.json`: a board with the first rule set and the default options. */
export interface BoardLayout {
  /** The names of the placement codes, with blanks between them; empty if a position decides. */
  steps: string;
  record: FieldValues;
}

/**
 * The values of a record's fields. An array is without the zeros at its end, in one dimension. Text
 * stands for numbers beyond the exact ones of JavaScript. Instead of an array, `splitmix64` stands
 * for the numbers of `randomWords`.
 */
export type FieldValues = Record<string, number | string | (number | string)[]>;
