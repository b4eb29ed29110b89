/** What the analysis board and the engines at their places say to each other. */

import type { Played } from "../game/tree_address.js";
import type { AnalysisState, StartAnalysis } from "../shared/wire.d.ts";

export type Effort = NonNullable<StartAnalysis["effort"]>;

/** Where positions are searched. */
export type Place = "device" | "server";

/** What an engine says of the position that it searches. Without a state it says why there is none. */
export interface News {
  state?: AnalysisState;
  problem?: string;
  /** Whether there is no engine for the board at this place. */
  isMissing?: boolean;
}

/** An engine at one place. It tells the news of the position that was asked for last. */
export interface Source {
  start(played: Played, turns: string[], effort: Effort): void;
  cancel(): void;
  dispose(): void;
}
