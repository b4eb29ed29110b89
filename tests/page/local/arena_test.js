import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { Browser, Tab } from "./tabs.js";

/** @import { StoredGame } from "../../../bot/arena/web/js/local/stored_game.js" */

/** @param {Tab} tab */
function turnsOf({ shown }) {
  return shown.at(-1)?.turns.map(({ turn }) => turn);
}

Deno.test("a game is played to its end, and replayed", async () => {
  const tab = new Tab(new Browser());
  const id = await tab.start();
  deepStrictEqual(await tab.play(id, 0, "2"), {
    ...{ v: 1, ok: true, game_id: id, ply: 0, duplicate: false },
  });
  const middle = await tab.bot("1");
  deepStrictEqual([middle.state, middle.to_play, middle.turns[1]?.info], ["playing", 1, null]);
  await tab.play(id, 2, "2");
  const { state, result, turns, takebacks } = await tab.state(id);
  deepStrictEqual([state, result?.winner, result?.reason], ["finished", 1, "played_out"]);
  deepStrictEqual([turns.map(({ turn }) => turn), takebacks], [["2", "1", "2"], 0]);
  strictEqual(turns[1]?.info?.value, 0.5); // hidden until the game is over
  const { position } = await tab.arena.answer("game.position", { game_id: id, ply: 1 });
  strictEqual(position.ply, 1);
});

Deno.test("the bot begins a game in which it is first", async () => {
  const tab = new Tab(new Browser());
  const id = await tab.start("second");
  await tab.bot("1");
  deepStrictEqual(turnsOf(tab), ["1"]);
  await tab.play(id, 1, "1");
  deepStrictEqual((await tab.question()).turns, ["1", "1"]);
});

Deno.test("an illegal turn is refused with its rule, and nothing is kept", async () => {
  const browser = new Browser();
  const tab = new Tab(browser);
  const id = await tab.start();
  const before = structuredClone(browser.stored);
  await rejects(tab.play(id, 0, "3"), { code: "illegal_turn", rule: "too-many" });
  deepStrictEqual(browser.stored, before);
});

Deno.test("a turn may be sent twice, but not at another ply or for the bot", async () => {
  const tab = new Tab(new Browser());
  const id = await tab.start();
  await rejects(tab.play(id, 1, "1"), { code: "stale_ply" });
  await tab.play(id, 0, "1");
  strictEqual((await tab.play(id, 0, "1")).duplicate, true);
  await rejects(tab.play(id, 0, "2"), { code: "stale_ply" });
  await rejects(tab.play(id, 1, "1"), { code: "not_your_turn" });
});

Deno.test("a turn is taken back with the bot's answer", async () => {
  const tab = new Tab(new Browser());
  const id = await tab.start();
  await rejects(tab.act(id, "ask_takeback"), { code: "no_takebacks" });
  await tab.play(id, 0, "1");
  await tab.bot("1");
  const { turns, takebacks, to_play: mover } = await tab.act(id, "ask_takeback");
  deepStrictEqual([turns, takebacks, mover], [[], 1, 1]);
  const late = { game_id: id, ply: 0, turn: "1", takebacks: 0 };
  await rejects(tab.arena.answer("game.turn", late), { code: "stale_ply" });
});

Deno.test("a turn is taken back while the bot thinks, whose answer is not played", async () => {
  const tab = new Tab(new Browser());
  const id = await tab.start();
  await tab.play(id, 0, "1");
  const { answer } = await tab.question();
  await tab.act(id, "ask_takeback");
  answer("2");
  await tab.play(id, 0, "2");
  deepStrictEqual((await tab.question()).turns, ["2"]);
  deepStrictEqual(turnsOf(tab), ["2"]);
});

Deno.test("a person resigns, and aborts only a game that has not begun", async () => {
  const tab = new Tab(new Browser());
  const one = await tab.start();
  const aborted = await tab.act(one, "abort");
  deepStrictEqual([aborted.result?.reason, aborted.result?.winner], ["aborted", null]);
  await rejects(tab.play(one, 0, "1"), { code: "game_over" });
  const two = await tab.start();
  await tab.play(two, 0, "1");
  await tab.bot("1");
  await rejects(tab.act(two, "abort"), { code: "too_late" });
  const { result } = await tab.act(two, "resign");
  deepStrictEqual([result?.reason, result?.winner], ["resignation", 2]);
  strictEqual(result?.message, "You resigned.");
});

Deno.test("the bot declines a draw", async () => {
  const tab = new Tab(new Browser());
  const id = await tab.start();
  const { draw_offer: offer, state } = await tab.act(id, "offer_draw");
  deepStrictEqual([tab.shown.at(-1)?.draw_offer, offer, state], [1, null, "playing"]);
});

Deno.test("a hint is the turn of a bot, and is counted", async () => {
  const tab = new Tab(new Browser());
  const id = await tab.start();
  const asked = { setup: {}, turns: [], request: "r", hint: id };
  const hint = tab.arena.answer("analysis.start", asked);
  (await tab.question()).answer("2");
  deepStrictEqual((await hint).analysis.lines[0]?.turn, "2");
  strictEqual((await tab.state(id)).hints, 1);
});

Deno.test("there is no hint on a board on which a running game forbids help", async () => {
  const tab = new Tab(new Browser());
  const id = await tab.start();
  tab.refusesHelp = true;
  const asked = { setup: {}, turns: [], request: "r", hint: id };
  await rejects(tab.arena.answer("analysis.start", asked), { code: "in_game" });
  deepStrictEqual([tab.questions, (await tab.state(id)).hints], [[], 0]);
});

Deno.test("after a reload the bot goes on", async () => {
  const browser = new Browser();
  const tab = new Tab(browser);
  const id = await tab.start();
  await tab.play(id, 0, "1");
  await tab.question();
  tab.arena.dispose();
  const later = new Tab(browser);
  deepStrictEqual(turnsAfter(await later.state(id)), ["1"]);
  await later.bot("2");
  deepStrictEqual(turnsOf(later), ["1", "2"]);
});

Deno.test("two tabs do not overwrite each other's turns", async () => {
  const browser = new Browser();
  const [one, two] = [new Tab(browser), new Tab(browser)];
  const id = await one.start();
  await two.state(id);
  await one.play(id, 0, "1");
  await rejects(two.play(id, 0, "2"), { code: "stale_ply" });
  deepStrictEqual(turnsOf(two), ["1"]); // it shows what the other tab has played
  await one.bot("1");
  await two.arena.reload(id);
  deepStrictEqual(turnsOf(two), ["1", "1"]);
  deepStrictEqual(two.questions, []); // the bot has thought in one tab
});

Deno.test("a turn that cannot be stored is not accepted", async () => {
  const browser = new Browser();
  const tab = new Tab(browser);
  const id = await tab.start();
  browser.isFull = true;
  await rejects(tab.play(id, 0, "1"), { code: "not_now", message: /could not store.*no room/ });
  deepStrictEqual((await tab.state(id)).turns, []);
  browser.isFull = false;
  await tab.play(id, 0, "1");
  deepStrictEqual(turnsOf(tab), ["1"]);
});

for (const operation of Object.keys(new Browser().store)) {
  Deno.test(`a storage whose ${operation} fails refuses in words, and later all goes on`, async () => {
    const browser = new Browser();
    const id = await new Tab(browser).start();
    const before = structuredClone(browser.stored);
    const tab = new Tab(browser);
    browser.broken = /** @type {keyof Browser["store"]} */ (operation);
    const said = { code: "not_now", message: /could not store.*out of order/ };
    const asked = {
      all: () => tab.arena.games(),
      read: () => tab.play(id, 0, "1"),
      write: () => tab.play(id, 0, "1"),
    };
    await rejects(asked[browser.broken](), said);
    deepStrictEqual([browser.stored, tab.shown], [before, []]);
    browser.broken = null;
    await tab.play(id, 0, "1");
    await tab.bot("1");
    deepStrictEqual(turnsOf(tab), ["1", "1"]);
  });
}

/** @type {[string, (game: StoredGame) => unknown][]} */
const DAMAGED = [
  ["another form", ({ id }) => ({ id, anything: 1 })],
  ["a later version", (game) => ({ ...game, version: 2 })],
  ["an unknown level", (game) => ({ ...game, level: 11 })],
  ["a turn of another kind", (game) => ({ ...game, turns: [3] })],
  ["an illegal turn", (game) => ({ ...game, turns: [{ turn: "9", time_ms: 0, info: null }] })],
  ["a result too early", (game) => ({ ...game, result: { winner: 1, reason: "played_out" } })],
];

for (const [what, damage] of DAMAGED) {
  Deno.test(`a stored game with ${what} is refused with a sentence, and stays stored`, async () => {
    const browser = new Browser();
    const id = await new Tab(browser).start();
    const whole = await new Tab(browser).start();
    browser.stored.set(id, damage(/** @type {StoredGame} */ (browser.stored.get(id))));
    const before = structuredClone(browser.stored);
    const tab = new Tab(browser);
    await rejects(tab.state(id), { code: "unknown_game_id", message: /could not be read/ });
    await rejects(tab.play(id, 0, "1"), { code: "unknown_game_id" });
    const listed = (await tab.arena.games()).map((game) => game.id);
    strictEqual(listed.includes(whole), true);
    deepStrictEqual(browser.stored, before);
  });
}

Deno.test("a tab of an earlier version leaves a game as a later one has written it", async () => {
  const browser = new Browser();
  const tab = new Tab(browser);
  const id = await tab.start();
  const game = /** @type {StoredGame} */ (browser.stored.get(id));
  const later = { ...game, version: 2, revision: game.revision + 1 };
  browser.stored.set(id, later);
  await rejects(tab.play(id, 0, "1"), { code: "unknown_game_id" });
  deepStrictEqual(browser.stored.get(id), later);
});

Deno.test("a game stays stored if the engine fails", async () => {
  const browser = new Browser();
  const id = await new Tab(browser).start();
  await new Tab(browser).play(id, 0, "1");
  const before = structuredClone(browser.stored);
  const tab = new Tab(browser, () => {
    throw new WebAssembly.RuntimeError("unreachable");
  });
  await rejects(tab.state(id), { code: "unknown_game_id" });
  deepStrictEqual(browser.stored, before);
});

Deno.test("what is not here, or not possible here, is refused in words", async () => {
  const tab = new Tab(new Browser());
  await rejects(tab.state("local-x"), { code: "unknown_game_id", message: /not on this device/ });
  const id = await tab.start();
  await rejects(tab.arena.answer("game.chats", { game_id: id }), { code: "not_now" });
  const setup = {
    game: "other",
    board: "b",
    rules: "r",
    clock: { kind: /** @type {const} */ ("none") },
  };
  /** @type {[string, string]} */
  const seats = ["You", "Level\u00a03"];
  const asked = tab.arena.answer("challenge.create", { setup, seats });
  await rejects(asked, { code: "not_now", message: /cannot play on this board/ });
});

/** @param {{turns: {turn: string}[]}} game */
function turnsAfter({ turns }) {
  return turns.map(({ turn }) => turn);
}
