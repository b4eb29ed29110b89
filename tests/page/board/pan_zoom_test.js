import { strictEqual } from "node:assert/strict";
import { PanZoom } from "../../../bot/arena/web/js/board/pan_zoom.js";

Deno.test("a board without a size gets no view", () => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const box = () => ({ x: 0, y: 0, width: 9, height: 9 });
  const lattice = /** @type {any} */ ({ box, reach: 8, cells: new Map() });
  Object.assign(globalThis, {
    ResizeObserver: class {
      observe() {}
    },
    cancelAnimationFrame() {},
  });
  const view = new PanZoom(element, lattice);
  view.follow([], [], true);
  for (const move of /** @type {const} */ (["whole", "in", "last", "whole"])) {
    view.press(move);
  }
  strictEqual(element.getAttribute("viewBox"), null);
});
