/** The buttons over a board without an end, and the arrow to a stone outside the view. */

import { h, svg } from "../shared/dom.js";
import { t } from "../shared/messages.js";

/** @import { Move, PanZoom } from "./pan_zoom.js" */

/** @type {[Move, label: string, shape: string][]} */
const BUTTONS = [
  ["in", t("game.view.in"), "M12 6v12M6 12h12"],
  ["out", t("game.view.out"), "M6 12h12"],
  ["whole", t("game.view.whole"), "M5 10V5h5M14 5h5v5M19 14v5h-5M10 19H5v-5"],
  ["last", t("game.view.last"), "M12 3v5M12 16v5M3 12h5M16 12h5M12 11.9v.2"],
];
/** The smallest distances of the arrow from the edges of the board, in pixels; the buttons are right. */
const INSET = { left: 72, right: 130, y: 26 };

export class ViewTools {
  /**
   * @param {PanZoom} view
   * @param {(move: Move) => void} press
   */
  constructor(view, press) {
    this.view = view;
    const buttons = BUTTONS.map(([move, label, shape]) =>
      h(
        "button",
        {
          type: "button",
          class: "icon",
          "aria-label": label,
          title: label,
          onclick: () => press(move),
        },
        svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: shape })),
      )
    );
    this.element = h("div", {
      class: "view-tools",
      role: "group",
      "aria-label": t("game.view.title"),
    }, buttons);
    const head = svg("path", { d: "M4 12h15M13 6l6 6-6 6" });
    this.arrow = h(
      "button",
      { type: "button", class: "view-arrow", hidden: true, onclick: () => press("last") },
      svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, head),
      t("game.view.new_stone"),
    );
    view.moved.on(() => this.#point());
  }

  /** Point at the stone that has not been seen. */
  #point() {
    const { unseen, camera, lattice } = this.view;
    const cell = unseen === null ? undefined : lattice.cells.get(unseen);
    this.arrow.hidden = !cell;
    if (!cell) {
      return;
    }
    const { x, y } = camera.place(cell);
    const at = {
      x: Math.max(INSET.left, Math.min(x, camera.width - INSET.right)),
      y: Math.max(INSET.y, Math.min(y, camera.height - INSET.y)),
    };
    const { style } = this.arrow;
    style.setProperty("--x", `${at.x}px`);
    style.setProperty("--y", `${at.y}px`);
    style.setProperty("--turn", `${Math.atan2(y - at.y, x - at.x)}rad`);
  }
}
