/** The capabilities of the page that are there, as `make bundle` has listed them. */
// deno-fmt-ignore-file
import { area as puzzles } from "./puzzles/area.js";
/** @import { Area } from "./shared/areas.js" */
/** @type {Area[]} */
export const AREAS = [
  { ...puzzles, name: "puzzles", addresses: {"puzzles": "puzzles", "puzzles/{id}": "next-puzzle", "puzzle/{id}": "puzzle"} },
];
