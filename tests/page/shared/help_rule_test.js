import { strictEqual } from "node:assert/strict";
import { helpRefusal } from "../../../bot/arena/web/js/shared/help_rule.js";

/** @import { Session } from "../../../bot/arena/web/js/shared/session.js" */

const SETUP = { game: "blooms", board: "hexhex-5", rules: null, options: {} };

/**
 * A session of Anna, who plays a game.
 * @param {object} setup
 * @param {string} [state]
 * @param {string} [name] of the player
 */
function playing(setup, state = "playing", name = "Anna") {
  const game = {
    game_id: "running",
    state,
    setup: { ...SETUP, rated: false, ...setup },
    players: [{ name }, {}],
  };
  const session = { you: { name: "Anna" }, games: { all: [game] } };
  return /** @type {Session} */ (/** @type {unknown} */ (session));
}

/** @type {[string, Session, boolean, boolean][]} what, who, whether a board and a finished game are refused */
const CASES = [
  ["a rated game on another board", playing({ board: "hexhex-4", rated: true }), true, false],
  ["a rated game on the same board", playing({ rated: true }), true, true],
  ["a casual game on the same board", playing({}), true, false],
  ["a casual game on another board", playing({ board: "hexhex-4" }), false, false],
  ["a finished game", playing({ rated: true }, "finished"), false, false],
  ["a game of others", playing({ rated: true }, "playing", "Ben"), false, false],
];

Deno.test("the game that is helped does not count", () => {
  const session = playing({});
  strictEqual(helpRefusal(session, SETUP, null, (id) => id !== "running"), "");
  strictEqual(helpRefusal(session, SETUP, null, (id) => id === "running") !== "", true);
});

for (const [what, session, isBoardRefused, isGameRefused] of CASES) {
  Deno.test(`help during ${what}`, () => {
    strictEqual(helpRefusal(session, SETUP) !== "", isBoardRefused);
    strictEqual(helpRefusal(session, SETUP, "finished") !== "", isGameRefused);
  });
}
