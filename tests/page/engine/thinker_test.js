import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { EngineFailed, EngineMissing, Thinker } from "../../../bot/arena/web/js/engine/thinker.js";

/** @import { Answer, Done, Request } from "../../../bot/arena/web/js/engine/messages.d.ts" */

const SETUP = { game: "bluestone", board: "pent-4", rules: "official", options: {} };
const FOUND = { candidates: [], playouts: 1, visits: 1 };

/** A worker that a test plays. */
class FakeWorker {
  /** @type {Request[]} */
  heard = [];
  isEnded = false;
  /** @type {((event: { data: Answer }) => void) | null} */
  onmessage = null;
  /** @type {((event: { message: string, preventDefault: () => void }) => void) | null} */
  onerror = null;

  /** @param {Request} message */
  postMessage(message) {
    this.heard.push(message);
  }

  terminate() {
    this.isEnded = true;
  }

  /** The id of the search that it heard last. */
  get id() {
    const searches = this.heard.filter((each) => each.kind === "search");
    return searches.at(-1)?.id ?? 0;
  }

  /** @param {string} turn */
  answer(turn) {
    this.onmessage?.({ data: { kind: "done", id: this.id, turn, found: FOUND } });
  }

  /**
   * @param {number} visits
   * @param {number} id of the search
   */
  report(visits, id) {
    this.onmessage?.({ data: { kind: "report", id, found: { ...FOUND, visits } } });
  }

  /** @param {string} message */
  die(message) {
    this.onerror?.({ message, preventDefault: () => undefined });
  }
}

function thinking(place = { folder: "/engine/", query: "" }) {
  /** @type {FakeWorker[]} */
  const workers = [];
  const makeWorker = () => {
    const worker = new FakeWorker();
    workers.push(worker);
    return /** @type {Worker} */ (/** @type {unknown} */ (worker));
  };
  const latest = () => /** @type {FakeWorker} */ (workers.at(-1));
  return { thinker: new Thinker(SETUP, { place, makeWorker }), workers, latest };
}

/** Let promises go on. */
function settled() {
  return new Promise((resolve) => setTimeout(resolve));
}

/** @param {FakeWorker} worker */
function kinds({ heard }) {
  return heard.map(({ kind }) => kind);
}

Deno.test("a search answers with its turn, and the worker stays for the next one", async () => {
  const { thinker, workers, latest } = thinking();
  for (const turn of ["a1", "b2"]) {
    const answer = thinker.search([], {});
    await settled();
    latest().answer(turn);
    strictEqual((await answer)?.turn, turn);
  }
  deepStrictEqual(workers.map(kinds), [["open", "search", "search"]]);
  thinker.dispose();
});

Deno.test("reports of the running search arrive, and none of an earlier one", async () => {
  const { thinker, latest } = thinking();
  /** @type {number[]} */
  const visits = [];
  const answer = thinker.search([], {}, { report: (found) => visits.push(found.visits) });
  await settled();
  latest().report(7, latest().id);
  latest().report(9, latest().id - 1);
  latest().answer("a1");
  await answer;
  deepStrictEqual(visits, [7]);
  thinker.dispose();
});

Deno.test("another search ends the one that runs, and takes the place of one that waits", async () => {
  const { thinker, latest } = thinking();
  const first = thinker.search(["a1"], {});
  await settled();
  const second = thinker.search(["a1", "b2"], {});
  const third = thinker.search(["a1", "c3"], {});
  await settled();
  deepStrictEqual(kinds(latest()), ["open", "search", "stop", "stop"]);
  latest().answer("so far");
  strictEqual((await first)?.turn, "so far");
  strictEqual(await second, null);
  await settled();
  latest().answer("d4");
  strictEqual((await third)?.turn, "d4");
  thinker.dispose();
});

Deno.test("a worker that dies fails its search, and the next search has another one", async () => {
  const { thinker, workers, latest } = thinking();
  const first = thinker.search([], {});
  await settled();
  latest().die("out of memory");
  await rejects(first, new EngineFailed("out of memory"));
  strictEqual(workers[0]?.isEnded, true);
  const second = thinker.search([], {});
  await settled();
  latest().answer("a1");
  strictEqual((await second)?.turn, "a1");
  strictEqual(workers.length, 2);
  thinker.dispose();
});

Deno.test("what the worker cannot do fails with its reason", async () => {
  const { thinker, latest } = thinking();
  for (const isMissing of [true, false]) {
    const answer = thinker.search([], {});
    await settled();
    const { id } = latest();
    latest().onmessage?.({ data: { kind: "failed", id, message: "why", isMissing } });
    await rejects(answer, isMissing ? new EngineMissing("why") : new EngineFailed("why"));
  }
  thinker.dispose();
});

Deno.test("a page without the engine's files says so", async () => {
  const thinker = new Thinker(SETUP, { place: null });
  await rejects(thinker.search([], {}), EngineMissing);
});

Deno.test("after the end no worker is left, and the search has no answer", async () => {
  const { thinker, latest } = thinking();
  /** @type {Promise<Done | null>} */
  const answer = thinker.search([], {});
  await settled();
  thinker.dispose();
  strictEqual(await answer, null);
  strictEqual(latest().isEnded, true);
});
