/** What the page and the worker of the engine say to each other. */

import type { Place } from "./load.js";
import type { Setup } from "./mechanics.d.ts";
import type { Found, Limits } from "./thinking.js";

/** The first message: what is played, and how. It is not answered. */
export interface Open {
  kind: "open";
  setup: Setup;
  place: Place;
  /** From 1 for the weakest to 10. */
  level: number;
  /** Memory for the search. */
  megabytes: number;
  seed: bigint;
}

/** Search the position after some turns. The answers are `Report`s, then `Done` or `Failed`. */
export interface Search {
  kind: "search";
  id: number;
  turns: readonly string[];
  limits: Limits;
  /** How many turns to find. */
  lines: number;
  /** Whether to forget earlier searches, so that values may be compared. */
  isFresh: boolean;
}

/** End the search: its answer follows. */
export interface Stop {
  kind: "stop";
}

export interface Report {
  kind: "report";
  id: number;
  found: Found;
}

export interface Done {
  kind: "done";
  id: number;
  /** What the level plays. */
  turn: string;
  found: Found;
}

export interface Failed {
  kind: "failed";
  id: number;
  message: string;
  /** Whether there is no engine for this setup here: another try fails too. */
  isMissing: boolean;
}

export type Request = Open | Search | Stop;
export type Answer = Report | Done | Failed;
