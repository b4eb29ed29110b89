/** What positions ask of a game, whatever its states are made of (engine/games/mechanics.py). */

import type { EarlyEnd, LegalView, PositionView, Seat } from "../shared/wire.d.ts";
import type { MemoryRecord, SavedRecord } from "./kernels.js";
import type { Refusal } from "./refusal.js";

/** The part of a game's setup that rules know. */
export interface Setup {
  game: string;
  board: string;
  /** Null for the first rule set. */
  rules: string | null;
  /** Those that differ from their defaults. */
  options: Record<string, string | number>;
}

/** A game's own description of a position. Nobody changes it. */
// deno-lint-ignore no-explicit-any
export type AnyState = any;

export type Choices = Omit<LegalView, "ply" | "illegal">;

export interface Mechanics<State> {
  /** How many kinds of stones a player owns. */
  kinds: number;
  start(): State;
  toPlay(state: State): Seat;
  isOver(state: State): boolean;
  /** Of a game that is over; null for a draw. */
  winner(state: State): Seat | null;
  stones(state: State): PositionView["stones"];
  /** The cells whose stones the turn between two states captured. */
  captured(before: State, after: State): string[];
  marks(state: State): Record<string, string>;
  scores(state: State): [number[], number[]];
  /** The early end of a game (engine/games/early_end.py); games without one leave it out. */
  earlyEnd?(state: State): EarlyEnd | null;
  /** The canonical form of a turn in lower case without blanks. */
  canonical(turn: string): string;
  playTurn(before: State, turn: string): State | Refusal;
  /** The state with the chosen steps, in the middle of a turn too; null if they do not begin one. */
  drafted(before: State, chosen: string[]): State | null;
  /** The steps that may follow those chosen, which are in lower case. */
  choices(before: State, chosen: string[]): Choices;
  /** Copy a position into a record of the kernels, whose codes mean what `frame` says. */
  write(state: State, record: MemoryRecord): void;
  frame(state: State): string;
  stepName(state: State, code: number): string;
  stepsOf(state: State, turn: string): number[] | null;
}

/** The rules of one game on fixed boards that its kernels do not answer. */
export interface BoardGame {
  kinds: number;
  hasPass: boolean;
  canonical(turn: string): string;
  /**
   * The rule that the last of `steps` breaks. `now` is the state in which it was tried. If all steps
   * were legal, that is a state in mid-turn, and a second stone is missing.
   */
  why(board: MemoryRecord, before: SavedRecord, now: MemoryRecord, steps: number[]): string;
  /** Player and kind of the content of a cell, which is not 0. */
  stone(content: number): [Seat, number];
  /** The cells whose stones a turn captured. */
  captured(before: SavedRecord, after: SavedRecord): number[];
  /** A word for each stone with a special state. */
  marks(state: SavedRecord): Map<number, string>;
  scores(state: SavedRecord): [number[], number[]];
  earlyEnd?(board: MemoryRecord, state: SavedRecord): EarlyEnd | null;
}
