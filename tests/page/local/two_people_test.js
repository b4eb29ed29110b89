import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { isAddable } from "../../../bot/arena/web/js/local/addable.js";
import { recordOf } from "../../../bot/arena/web/js/local/record.js";
import { readGame } from "../../../bot/arena/web/js/local/stored_game.js";
import { Browser, Tab } from "./tabs.js";

/** @import { StoredGame } from "../../../bot/arena/web/js/local/stored_game.js" */
/** @import { GameState, TimeControl } from "../../../bot/arena/web/js/shared/wire.d.ts" */

/** @type {TimeControl} */
const MINUTE = { kind: "fischer", initial_s: 60, increment_s: 5 };

/** @param {GameState} game */
function resultOf({ result }) {
  return [result?.winner, result?.reason, result?.message];
}

/** The main times of both. @param {GameState} game */
function timesOf({ clocks }) {
  return clocks.players.map(({ main_ms: main }) => main);
}

/**
 * A game of two people in which both have played.
 * @param {Tab} tab
 * @param {TimeControl} [clock]
 */
async function begun(tab, clock = { kind: "none" }) {
  const id = await tab.startTwo({ names: ["Anna", ""], clock });
  await tab.play(id, 0, "1");
  await tab.play(id, 1, "1");
  return id;
}

Deno.test("two people play in turns to the end, also after a reload", async () => {
  const browser = new Browser();
  const tab = new Tab(browser);
  const id = await tab.startTwo({ names: ["Anna", ""] });
  const { players } = await tab.state(id);
  deepStrictEqual(players.map(({ name, kind }) => [name, kind]), [
    ["Anna", "guest"],
    ["White", "guest"],
  ]);
  await tab.play(id, 0, "2");
  const later = new Tab(browser);
  await later.watch(id);
  await later.play(id, 1, "1");
  await later.play(id, 2, "2");
  const game = await later.state(id);
  deepStrictEqual([game.state, ...resultOf(game).slice(0, 2)], ["finished", 1, "played_out"]);
  deepStrictEqual([later.questions, later.warnings], [[], []]); // no bot was asked
});

Deno.test("a turn that two tabs play is played once", async () => {
  const browser = new Browser();
  const [one, two] = [new Tab(browser), new Tab(browser)];
  const id = await one.startTwo();
  await two.watch(id);
  await one.play(id, 0, "1");
  strictEqual((await one.play(id, 0, "1")).duplicate, true);
  await rejects(two.play(id, 0, "2"), { code: "stale_ply" });
  await two.play(id, 1, "2");
  await one.arena.reload(id);
  deepStrictEqual((await one.state(id)).turns.map(({ turn }) => turn), ["1", "2"]);
});

Deno.test("the player to move resigns", async () => {
  const tab = new Tab(new Browser());
  const id = await begun(tab);
  deepStrictEqual(resultOf(await tab.act(id, "resign")), [2, "resignation", "Anna resigned."]);
  const other = await begun(tab);
  await tab.play(other, 2, "1");
  deepStrictEqual(resultOf(await tab.act(other, "resign")), [1, "resignation", "White resigned."]);
});

Deno.test("a draw and an end without a result are agreed at once", async () => {
  const tab = new Tab(new Browser());
  const draw = await tab.act(await begun(tab), "offer_draw");
  deepStrictEqual(resultOf(draw).slice(0, 2), [null, "draw_agreement"]);
  const end = "Both players agreed to abort the game.";
  deepStrictEqual(resultOf(await tab.act(await begun(tab), "offer_abort")), [null, "aborted", end]);
  const early = await tab.act(await tab.startTwo(), "abort");
  deepStrictEqual(resultOf(early), [null, "aborted", end]);
});

Deno.test("one turn at a time is taken back", async () => {
  const tab = new Tab(new Browser());
  const id = await begun(tab);
  const { turns, to_play: mover } = await tab.act(id, "ask_takeback");
  deepStrictEqual([turns.length, mover], [1, 2]);
  await tab.act(id, "ask_takeback");
  await rejects(tab.act(id, "ask_takeback"), { code: "no_takebacks" });
});

Deno.test("there are no hints", async () => {
  const tab = new Tab(new Browser());
  const id = await tab.startTwo();
  const asked = { setup: {}, turns: [], request: "r", hint: id };
  await rejects(tab.arena.answer("analysis.start", asked), { code: "not_now" });
});

Deno.test("clocks start when both have played, and charge the player to move", async () => {
  const tab = new Tab(new Browser());
  const id = await tab.startTwo({ clock: MINUTE });
  tab.pass(100_000);
  await tab.play(id, 0, "1");
  await tab.play(id, 1, "1");
  strictEqual((await tab.state(id)).clocks.running, 1);
  tab.pass(20_000);
  const { server_time: began } = await tab.state(id);
  strictEqual(tab.browser.time - Date.parse(began), 20_000);
  await tab.play(id, 2, "1");
  const game = await tab.state(id);
  deepStrictEqual([timesOf(game), game.clocks.running], [[45_000, 60_000], 2]);
  deepStrictEqual(game.turns.map(({ time_ms: time }) => time), [100_000, 0, 20_000]);
  const back = await tab.act(id, "ask_takeback");
  deepStrictEqual([timesOf(back), back.clocks.running], [[60_000, 60_000], 1]);
});

Deno.test("a player whose time is used up loses", async () => {
  const tab = new Tab(new Browser());
  const id = await begun(tab, MINUTE);
  tab.pass(59_999);
  strictEqual((await tab.state(id)).state, "playing");
  tab.pass(1);
  const game = await tab.until(({ state }) => state === "finished");
  deepStrictEqual(resultOf(game), [2, "time_forfeit", "Anna ran out of time."]);
  deepStrictEqual(game.clocks.players.map(({ flagged }) => flagged), [true, false]);
  deepStrictEqual(timesOf(await new Tab(tab.browser).state(id)), [0, 60_000]);
});

Deno.test("a late turn loses, although no alarm has rung", async () => {
  const tab = new Tab(new Browser());
  const id = await begun(tab, MINUTE);
  tab.browser.time += 60_000; // the machine was busy
  await rejects(tab.play(id, 2, "1"), { code: "game_over" });
  deepStrictEqual(resultOf(await tab.state(id)).slice(0, 2), [2, "time_forfeit"]);
});

/** @type {[string, (tab: Tab, id: string) => unknown, (tab: Tab, id: string) => Promise<Tab>][]} */
const PAUSES = [
  [
    "hidden",
    (tab) => tab.arena.see(false),
    (tab) => {
      tab.arena.see(true);
      return Promise.resolve(tab);
    },
  ],
  ["left", (tab, id) => tab.watch(id, false), async (tab, id) => (await tab.watch(id), tab)],
  ["closed", (tab) => tab.arena.see(false), async (tab, id) => {
    const later = new Tab(tab.browser);
    await later.watch(id);
    return later;
  }],
];

for (const [what, pause, resume] of PAUSES) {
  Deno.test(`a clock stops while its page is ${what}, and goes on`, async () => {
    const tab = new Tab(new Browser());
    const id = await begun(tab, MINUTE);
    tab.pass(20_000);
    await pause(tab, id);
    tab.pass(1_000_000);
    const seen = await resume(tab, id);
    const { state, clocks, server_time: began } = await seen.state(id);
    deepStrictEqual([state, clocks.running], ["playing", 1]);
    strictEqual(tab.browser.time - Date.parse(began), 20_000);
    seen.pass(30_000);
    await seen.play(id, 2, "1");
    deepStrictEqual(timesOf(await seen.state(id)), [15_000, 60_000]);
  });
}

Deno.test("a hidden tab says that no clock runs", async () => {
  const tab = new Tab(new Browser());
  const id = await begun(tab, MINUTE);
  tab.arena.see(false);
  await tab.until(({ clocks }) => clocks.running === null);
  tab.arena.see(true);
  await tab.until(({ clocks }) => clocks.running === 1);
  strictEqual((await tab.state(id)).clocks.running, 1);
});

Deno.test("a record has the names that people gave, and those of no language", async () => {
  const tab = new Tab(new Browser());
  const id = await begun(tab, MINUTE);
  const { players, turns, clock } = recordOf(await tab.act(id, "resign"), "2026-01-02T03:05:00Z");
  deepStrictEqual(players.map(({ name, user_id: user }) => [name, user]), [
    ["Anna", null],
    ["White", null],
  ]);
  deepStrictEqual([turns.map(({ source }) => source), clock], [["person", "person"], MINUTE]);
});

Deno.test("games of two people are not offered to the server", async () => {
  const tab = new Tab(new Browser());
  const id = await begun(tab);
  await tab.act(id, "resign");
  const [stored] = await tab.arena.games();
  strictEqual(stored && isAddable(stored), false);
});

Deno.test("a clock that cannot run starts no game", async () => {
  const tab = new Tab(new Browser());
  const clocks = [{ kind: "sundial" }, { kind: "fischer", initial_s: NaN, increment_s: 5 }];
  for (const clock of /** @type {TimeControl[]} */ (clocks)) {
    await rejects(tab.startTwo({ clock }), { code: "invalid" });
  }
  strictEqual(tab.browser.stored.size, 0);
});

/** @type {[string, (game: StoredGame) => unknown][]} */
const DAMAGED = [
  ["a seat", (game) => ({ ...game, seat: 1 })],
  ["a level", (game) => ({ ...game, level: 3 })],
  ["one name", (game) => ({ ...game, names: ["Anna"] })],
  ["a name that is too long", (game) => ({ ...game, names: ["a".repeat(25), ""] })],
  ["another clock", (game) => ({ ...game, clock: { kind: "sundial" } })],
  ["no names", ({ names: _names, ...game }) => game],
];

for (const [what, damage] of DAMAGED) {
  Deno.test(`a stored game of two people with ${what} is not read`, async () => {
    const tab = new Tab(new Browser());
    await tab.startTwo({ clock: MINUTE });
    const [stored] = await tab.arena.games();
    strictEqual(stored !== undefined && readGame(stored) === stored, true);
    strictEqual(stored && readGame(damage(stored)), null);
  });
}
