import { deepStrictEqual } from "node:assert/strict";
import { ActionQueue } from "../../../bot/arena/web/js/game/action_queue.js";

Deno.test("actions happen in order, and those that wait can be dropped", async () => {
  /** @type {string[]} */
  const done = [];
  /** @type {PromiseWithResolvers<void>} */
  const answer = Promise.withResolvers();
  const queue = new ActionQueue();
  queue.add(() => done.push("first"));
  await new Promise((ended) =>
    queue.add(async (isWanted) => {
      queue.add(() => done.push("waiting"));
      queue.clear();
      answer.resolve();
      await answer.promise;
      done.push(isWanted() ? "wanted" : "dropped");
      ended(null);
    })
  );
  await new Promise((ended) => queue.add(() => ended(done.push("next"))));
  deepStrictEqual(done, ["first", "dropped", "next"]);
});
