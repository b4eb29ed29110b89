import type { Placement } from "../shared/steps.js";
import type { Seat } from "../shared/wire.d.ts";
import type { Stones } from "./geometry.js";

/** What the board shows. */
export interface Picture {
  stones: Stones;
  /** words on stones that need one */
  marks: Record<string, string>;
  /** cells of the last turn */
  last: string[];
  /** cells that the last turn cleared */
  captured: string[];
  /** whose stones stood there */
  loser: Seat;
  /** whether nothing is said that players would have to see by themselves */
  bare?: boolean;
  /** what the person has chosen so far */
  pending: Placement[];
  /** stones that the chosen cells would capture */
  doomed: string[];
  /** cells that may be chosen; null: nothing may */
  legal: Set<string> | null;
  /** whose stones are being placed */
  seat: Seat;
  /** the kind of the next one */
  kind: number;
  /** a line of play to imagine; `number`: the turn in it, null in a line of one turn */
  line: (Placement & { seat: Seat; number: number | null })[];
}
