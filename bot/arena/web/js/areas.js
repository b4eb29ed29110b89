/** The capabilities of the page that are there, as `make bundle` has listed them. */
// deno-fmt-ignore-file
import { area as accounts } from "./accounts/area.js";
import { area as analysis } from "./analysis/area.js";
import { area as chat } from "./chat/area.js";
import { area as local } from "./local/area.js";
import { area as openings } from "./openings/area.js";
import { area as push } from "./push/area.js";
import { area as puzzles } from "./puzzles/area.js";
import { area as ratings } from "./ratings/area.js";
import { area as serverless } from "./serverless/area.js";
import { area as tournaments } from "./tournaments/area.js";
/** @import { Area } from "./shared/areas.js" */
/** @type {Area[]} */
export const AREAS = [
  { ...accounts, name: "accounts", addresses: {"account": "account"} },
  { ...analysis, name: "analysis", addresses: {"analysis": "analysis", "analysis/{id}": "analysis"} },
  { ...chat, name: "chat", addresses: {} },
  { ...local, name: "local", addresses: {} },
  { ...openings, name: "openings", addresses: {"openings/{id}": "openings"} },
  { ...push, name: "push", addresses: {} },
  { ...puzzles, name: "puzzles", addresses: {"puzzles": "puzzles", "puzzles/{id}": "next-puzzle", "puzzle/{id}": "puzzle"} },
  { ...ratings, name: "ratings", addresses: {"player/{name}": "player", "leaderboards": "leaderboards", "leaderboards/{word}": "leaderboards"} },
  { ...serverless, name: "serverless", addresses: {} },
  { ...tournaments, name: "tournaments", addresses: {"tournament/{id}": "tournament", "tournaments": "tournaments", "tournaments/new": "new-tournament"} },
];
