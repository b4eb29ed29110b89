import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { addGames, sentAs } from "../../../bot/arena/web/js/local/adding.js";
import { isAddable } from "../../../bot/arena/web/js/local/addable.js";
import { readGame } from "../../../bot/arena/web/js/local/stored_game.js";
import { Refused } from "../../../bot/arena/web/js/shared/protocol.js";
import { Browser, Tab } from "./tabs.js";

/** @import { GameWithBot } from "../../../bot/arena/web/js/local/addable.js" */
/** @import { StoredGame } from "../../../bot/arena/web/js/local/stored_game.js" */

/** @type {GameWithBot} */
const GAME = {
  ...{ version: 1, id: "local-a", revision: 4, seat: 2, level: 3, takebacks: 1, hints: 2 },
  setup: { game: "countdown", board: "five", rules: "usual", options: {} },
  turns: [{ turn: "2", time_ms: 7, info: null }, { turn: "1", time_ms: 9, info: null }],
  result: { winner: 1, reason: "resignation" },
  ...{ created_at: "2026-01-02T03:04:05.000Z", changed_at: "2026-01-02T03:05:05.000Z" },
};

/** A server that answers by what it is given: the id of a game, or a refusal. */
class Server {
  /** @type {string[]} */
  sent = [];
  /** @type {[string, string][]} */
  noted = [];
  pauses = 0;

  /** @param {(string | Refused)[]} answers */
  constructor(...answers) {
    this.answers = answers;
  }

  /** @param {string[]} ids */
  async add(...ids) {
    return await addGames(
      ids.map((id) => ({ ...GAME, id })),
      ({ local_id: id }) => {
        this.sent.push(id);
        const answer = this.answers.shift() ?? `of-${id}`;
        return answer instanceof Refused ? Promise.reject(answer) : Promise.resolve(answer);
      },
      (id, added) => Promise.resolve(void this.noted.push([id, added])),
      () => Promise.resolve(void this.pauses++),
    );
  }
}

Deno.test("a game is sent without its result, which the server finds", () => {
  deepStrictEqual(sentAs(GAME), {
    ...{ local_id: "local-a", setup: GAME.setup, seat: 2, level: 3, takebacks: 1, hints: 2 },
    ...{ turns: ["2", "1"], times_ms: [7, 9], resigned: true },
    ...{ started_at: GAME.created_at, ended_at: GAME.changed_at },
  });
  strictEqual(sentAs({ ...GAME, result: { winner: 1, reason: "played_out" } }).resigned, false);
});

Deno.test("finished games with turns are offered, until they are added", () => {
  strictEqual(isAddable(GAME), true);
  strictEqual(isAddable({ ...GAME, result: null }), false);
  strictEqual(isAddable({ ...GAME, result: { winner: null, reason: "aborted" } }), false);
  strictEqual(isAddable({ ...GAME, turns: [] }), false);
  strictEqual(isAddable({ ...GAME, added: "abc" }), false);
  strictEqual(readGame({ ...GAME, added: "abc" })?.added, "abc");
  strictEqual(readGame({ ...GAME, added: 3 }), null);
});

Deno.test("each game is written down as soon as the server has it", async () => {
  const server = new Server("x", "y");
  deepStrictEqual(await server.add("local-a", "local-b"), { added: 2, failure: null });
  deepStrictEqual(server.noted, [["local-a", "x"], ["local-b", "y"]]);
});

Deno.test("many games wait for the server", async () => {
  const late = new Refused("rate_limited", "Too fast.");
  const server = new Server("x", late, late);
  await server.add("local-a", "local-b");
  deepStrictEqual(server.sent, ["local-a", "local-b", "local-b", "local-b"]);
  deepStrictEqual([server.noted.length, server.pauses], [2, 2]);
});

Deno.test("a refusal of one game leaves out that one, one of the person ends it", async () => {
  const refused = new Refused("unknown_game", "Not offered.");
  const one = new Server(refused);
  deepStrictEqual(await one.add("local-a", "local-b"), { added: 1, failure: refused });
  deepStrictEqual(one.noted, [["local-b", "of-local-b"]]);
  for (const code of ["too_many", "offline", "no_answer"]) {
    const all = new Server(new Refused(code, "No."));
    await all.add("local-a", "local-b");
    deepStrictEqual([all.sent, all.noted], [["local-a"], []]);
  }
});

Deno.test("a game remembers in all tabs that it was added, and stays as it was", async () => {
  const browser = new Browser();
  const [one, two] = [new Tab(browser), new Tab(browser)];
  const id = await one.start();
  await one.play(id, 0, "2");
  await one.bot("1");
  await one.act(id, "resign");
  const before = /** @type {StoredGame} */ (browser.stored.get(id));
  await two.state(id);
  await one.arena.noteAdded(id, "abc");
  const [after] = await two.arena.games();
  const revision = before.revision + 1;
  deepStrictEqual(after, { ...before, added: "abc", revision });
  await two.arena.noteAdded(id, "abc"); // it has asked at the same time
  strictEqual((await one.arena.games())[0]?.added, "abc");
});
