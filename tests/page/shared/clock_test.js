import { deepStrictEqual, ok } from "node:assert/strict";
import { formatTime, ServerTime } from "../../../bot/arena/web/js/shared/clock.js";

Deno.test("a time is shown in the units that fit", () => {
  const times = [9_800, 10_000, 235_000, 3_723_000, 2 * 86_400_000 + 4 * 3_600_000];
  deepStrictEqual(times.map(formatTime), ["9.8", "0:10", "3:55", "1:02:03", "2 d 04 h"]);
});

Deno.test("the server's time is that of the message that arrived fastest", () => {
  const time = new ServerTime();
  const hour = 3_600_000;
  const fast = Date.now() + hour;
  for (const delay of [5_000, 0, 60_000]) {
    time.learn(new Date(fast - delay).toISOString());
  }
  // The slowest message alone would show a minute more.
  ok(Math.abs(time.until(new Date(fast + hour).toISOString()) - hour) < 30_000);
});
