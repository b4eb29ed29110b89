import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { TurnTimes } from "../../../bot/arena/web/js/local/turn_times.js";

/** @import { PlayedGame } from "../../../bot/arena/web/js/local/played_game.js" */

const MINUTE = { kind: "fischer", initial_s: 60, increment_s: 0 };
const GAME = /** @type {PlayedGame} */ (/** @type {unknown} */ ({
  id: "game",
  clock: MINUTE,
  isPlaying: true,
  stored: { revision: 3, turns: [{ turn: "a", ms: 0 }, { turn: "b", ms: 0 }] },
}));

/** Tabs of one browser, with one clock. */
class Tabs {
  now = 0;
  /** @type {{at: number, ring: () => void}[]} */
  alarms = [];
  /** @type {{revision: number, used: number} | null} */
  kept = null;

  tab() {
    return new TurnTimes({
      ticks: () => this.now,
      alarm: (ms, ring) => {
        const alarm = { at: this.now + ms, ring };
        this.alarms.push(alarm);
        return () => {
          this.alarms = this.alarms.filter((each) => each !== alarm);
        };
      },
      usedBefore: () => this.kept,
      keepUsed: (_, kept) => {
        this.kept = kept;
      },
      over: () => {},
    });
  }

  /** @param {number} ms */
  pass(ms) {
    const end = this.now + ms;
    for (;;) {
      const next = this.alarms.filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0];
      if (!next) {
        break;
      }
      this.now = next.at;
      this.alarms = this.alarms.filter((each) => each !== next);
      next.ring();
    }
    this.now = end;
  }
}

Deno.test("a turn goes on from the most that any tab has used", () => {
  const tabs = new Tabs();
  const [one, two] = [tabs.tab(), tabs.tab()];
  one.show(GAME);
  tabs.pass(20_000);
  one.see(false);
  two.show(GAME);
  tabs.pass(20_000);
  two.see(false);
  one.see(true);
  tabs.pass(1000);
  one.see(false);
  deepStrictEqual([one.used(GAME), tabs.kept?.used], [41_000, 41_000]);
});

Deno.test("a tab that is opened beside another one, or after a crash, loses a few seconds at most", () => {
  const tabs = new Tabs();
  tabs.tab().show(GAME);
  tabs.pass(32_000);
  const beside = tabs.tab();
  beside.show(GAME);
  strictEqual(beside.used(GAME), 30_000);
});
