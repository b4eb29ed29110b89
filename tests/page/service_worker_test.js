import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { NEVER, Site } from "./worker_site.js";

const FILES = ["/engine/a.wasm?v=1", "/messages/en/game.json?v=1", "/assets/list.json"];

/** @param {string} build */
function page(build) {
  const html = `<html data-build="${build}"><script src="/assets/main.0a1b.js"></script></html>`;
  return new Response(html, { headers: { "Content-Type": "text/html" } });
}

/** @param {string} build */
function answers(build) {
  /** @param {string} path */
  return (path) => path === "/" ? page(build) : new Response(path);
}

Deno.test("a page has its document and its files kept, one after the other", async () => {
  const site = new Site(answers("1"));
  await site.keep(FILES);
  deepStrictEqual(site.kept, ["/", ...FILES]);
  strictEqual(site.mostAtOnce, 1);
});

Deno.test("pages that ask at once cost the visitor no more than one", async () => {
  const site = new Site(answers("1"));
  await Promise.all(Array.from({ length: 10 }, () => site.keep(FILES)));
  deepStrictEqual(site.asked, ["/", ...FILES]);
});

Deno.test("while a file does not come, documents and files do, and clicks open games", async () => {
  const site = new Site((path) => path.startsWith("/engine") ? NEVER : answers("1")(path));
  const keeping = site.keep(FILES);
  await site.hears("/engine/a.wasm?v=1");
  strictEqual((await site.visit("/games")).status, 200);
  strictEqual(
    await (await site.get("/messages/de/game.json?v=1")).text(),
    "/messages/de/game.json?v=1",
  );
  await site.click("/game/x");
  deepStrictEqual(site.opened, ["/game/x"]);
  site.timeOut(); // a worker that works for longer is ended by its browser
  await keeping;
  await site.keep([]);
});

Deno.test("a page of an earlier version does not remove what its own tab needs", async () => {
  const site = new Site(answers("1"));
  await site.keep(FILES);
  site.answer = answers("2");
  await site.keep([...FILES, "/lessons/a.json?v=1"]);
  deepStrictEqual(site.kept, ["/", ...FILES]);
});

Deno.test("a document of a new version takes the place of all files of an earlier one", async () => {
  const site = new Site(answers("1"));
  await site.keep(FILES);
  site.answer = answers("2");
  await site.visit("/");
  deepStrictEqual(site.kept, ["/"]);
  site.answer = () => {
    throw new TypeError("no connection");
  };
  strictEqual((await (await site.visit("/games")).text()).includes('data-build="2"'), true);
});

for (
  const [what, html] of [
    ["captive portal", "<html><script src=/portal.js></script>Log in</html>"],
    ["proxy", "<html>Under repair, back soon</html>"],
  ]
) {
  Deno.test(`the document of a ${what} is shown, but not kept`, async () => {
    const site = new Site(answers("1"));
    await site.keep(FILES);
    site.answer = () => new Response(html, { headers: { "Content-Type": "text/html" } });
    strictEqual(await (await site.visit("/")).text(), html);
    await site.keep([...FILES, "/lessons/a.json?v=1"]);
    deepStrictEqual(site.kept, ["/", ...FILES]);
  });
}

Deno.test("what fails is not kept, and the rest is", async () => {
  const site = new Site((path) =>
    path.startsWith("/engine") ? new Response("", { status: 404 }) : answers("1")(path)
  );
  await site.keep(FILES);
  deepStrictEqual(site.kept, ["/", ...FILES.slice(1)]);
});
