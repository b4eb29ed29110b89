import { deepStrictEqual } from "node:assert/strict";
import { pictureOf } from "../../../bot/arena/web/js/game/picture.js";
import { TurnDraft } from "../../../bot/arena/web/js/game/turn_draft.js";

/**
 * What the board shows to have left it.
 * @param {Record<string, unknown>} position
 */
function cleared(position) {
  const view = { position: { marks: {}, captured: [], to_play: 2, ...position }, live: false };
  const input = { draft: new TurnDraft(), legal: null, phase: "watching" };
  const { captured, loser } = pictureOf(
    /** @type {any} */ ({ ...view, seat: 1, imagined: null }),
    /** @type {any} */ (input),
  );
  return { captured, loser };
}

Deno.test("captured stones are those of the player to move", () => {
  const position = { stones: { b1: [1, 1] }, last: ["b1"], captured: ["a1"] };
  deepStrictEqual(cleared(position), { captured: ["a1"], loser: 2 });
});

Deno.test("a stone that is captured in its own turn is shown as the player's who placed it", () => {
  const position = { stones: { b1: [2, 1] }, last: ["a1"], captured: ["a2"] };
  deepStrictEqual(cleared(position), { captured: ["a2", "a1"], loser: 1 });
});
