import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { TurnDraft } from "../../../bot/arena/web/js/game/turn_draft.js";

/** A draft of a game with two kinds of stones. */
function twoKinds() {
  const draft = new TurnDraft();
  draft.kinds = 2;
  return draft;
}

Deno.test("a stone that is taken back is placed again in its colour", () => {
  const draft = twoKinds();
  draft.add("a1");
  draft.kind = 2;
  draft.add("b2");
  draft.remove("a1");
  strictEqual(draft.step("c3"), "1c3");
  draft.swap();
  deepStrictEqual([...draft.steps, draft.step("c3")], ["1b2", "2c3"]);
});

Deno.test("the next stone has the other colour if none of its own may be placed", () => {
  const draft = twoKinds();
  draft.adapt(/** @type {any} */ ({ legal: [] }));
  strictEqual(draft.kind, 1);
  draft.adapt(/** @type {any} */ ({ legal: ["2a1", "2b2"] }));
  strictEqual(draft.kind, 2);
});
