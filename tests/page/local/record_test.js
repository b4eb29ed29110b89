import { deepStrictEqual } from "node:assert/strict";
import { Browser, Tab } from "./tabs.js";
import { recordOf } from "../../../bot/arena/web/js/local/record.js";

Deno.test("a record says who chose each turn, and its names are those of no language", async () => {
  const tab = new Tab(new Browser());
  const id = await tab.start();
  await tab.play(id, 0, "2");
  await tab.bot("1");
  await tab.play(id, 2, "2");
  const { players, turns } = recordOf(await tab.state(id), "2026-01-02T03:05:00Z");
  deepStrictEqual(turns.map(({ source }) => source), ["person", "engine", "person"]);
  deepStrictEqual(players.map(({ name }) => name), ["Person on device", "Level 3 on device"]);
});
