import { deepStrictEqual } from "node:assert/strict";
import { routeOf } from "../../../bot/arena/web/js/frame/routes.js";

Deno.test("an address names a page and an id", () => {
  const paths = ["/", "/game/Ab-9_", "/game/Ab-9_/", "/rules", "/game/", "/game/a/b", "/nowhere"];
  deepStrictEqual(paths.map((path) => Object.values(routeOf(path)).join(" ").trim()), [
    "lobby",
    "game Ab-9_",
    "game Ab-9_",
    "rules",
    "unknown",
    "unknown",
    "unknown",
  ]);
});
