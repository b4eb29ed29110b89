/** The tree of turns as a list: the main line in two columns, variations below their turn. */

import { SIGNS } from "../game/review.js";
import { ReplayControls } from "../game/replay_controls.js";
import { turnParts } from "../game/turn_parts.js";
import { h, replace } from "../shared/dom.js";
import { moverOf } from "../shared/games.js";
import { t } from "../shared/messages.js";
import { points } from "../shared/sentences.js";
import { Signal } from "../shared/signal.js";
import { pathTo } from "../game/turn_tree.js";

/** @import { Child } from "../shared/dom.js" */
/** @import { AnalysedTurn } from "../shared/wire.d.ts" */
/** @import { Node, Tree } from "../game/turn_tree.js" */

export class TreeView {
  /** @type {Signal<Node>} a node to look at */
  wanted = new Signal();
  /** @type {Signal<"promote" | "remove">} what to do with the shown node */
  pressed = new Signal();
  kinds = 1;
  /** The analysed turn that leads to a node, if any. @type {(node: Node) => AnalysedTurn | null} */
  judged = () => null;
  /** How many stones the turn that leads to a node has captured, as far as that is known. @type {(node: Node) => number} */
  captures = () => 0;
  #frame = 0;

  constructor() {
    this.list = h("div", { class: "tree", role: "group", "aria-label": t("analysis.turns") });
    // Panels that are loaded later leave the list less room.
    new ResizeObserver(() => this.#showCurrent()).observe(this.list);
    this.controls = new ReplayControls(this.list);
    this.promote = this.#button("promote", t("analysis.promote"));
    this.remove = this.#button("remove", t("analysis.remove"));
    this.element = h(
      "section",
      { class: "panel tree-panel", "aria-label": t("analysis.turns") },
      h("h2", {}, t("analysis.turns")),
      this.list,
      this.controls.element,
      h("div", { class: "tree-tools" }, this.promote, this.remove),
    );
  }

  /**
   * @param {"promote" | "remove"} action
   * @param {string} label
   */
  #button(action, label) {
    const press = () => this.pressed.emit(action);
    return h("button", { type: "button", onclick: press }, label);
  }

  /** @param {Tree} tree */
  update(tree) {
    const rows = this.#mainLine(tree);
    replace(
      this.list,
      ...(rows.length ? rows : [h("p", { class: "quiet" }, t("analysis.no_turns"))]),
    );
    const { current } = tree;
    this.controls.update(current.ply, tree.end().ply);
    this.promote.disabled = tree.isMain(current);
    this.remove.disabled = current.parent === null;
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.#showCurrent()); // the layout is known then
  }

  #showCurrent() {
    const shown = this.list.querySelector("[aria-current]");
    if (shown instanceof HTMLElement) {
      const { list } = this;
      const top = shown.offsetTop - list.offsetTop;
      if (top < list.scrollTop || top + shown.offsetHeight > list.scrollTop + list.clientHeight) {
        list.scrollTop = top - list.clientHeight / 2;
      }
    } else {
      this.list.scrollTop = 0;
    }
  }

  /**
   * @param {Tree} tree
   * @returns {Child[]}
   */
  #mainLine(tree) {
    /** @type {Child[]} */
    const rows = [];
    /** @type {Child[]} */
    let row = [];
    const close = () => {
      row.length && rows.push(h("div", { class: "tree-row" }, row));
      row = [];
    };
    for (let node = tree.root.children[0]; node; node = node.children[0]) {
      if (row.length === 0) {
        row.push(h("span", { class: "number" }, Math.ceil(node.ply / 2)));
        node.ply % 2 === 0 && row.push(h("span", { class: "gap" }, "…"));
      }
      row.push(this.#turn(node, tree));
      const others = node.parent?.children.slice(1) ?? [];
      if (node.ply % 2 === 0 || others.length > 0) {
        close();
      }
      for (const other of others) {
        rows.push(h("div", { class: "variation" }, this.#line(other, tree)));
      }
    }
    close();
    return rows;
  }

  /**
   * A variation in one flow, its own variations in brackets.
   * @param {Node} first
   * @param {Tree} tree
   * @returns {Child[]}
   */
  #line(first, tree) {
    /** @type {Child[]} */
    const parts = [];
    /** @type {Node | undefined} */
    let node = first;
    while (node) {
      if (node.ply % 2 === 1 || node === first) {
        const number = `${Math.ceil(node.ply / 2)}${node.ply % 2 === 0 ? "…" : ""}`;
        parts.push(h("span", { class: "number" }, number));
      }
      parts.push(this.#turn(node, tree));
      const others = node === first ? [] : node.parent?.children.slice(1) ?? [];
      for (const other of others) {
        parts.push(h("span", { class: "branch" }, "(", this.#line(other, tree), ")"));
      }
      node = node.children[0];
    }
    return parts;
  }

  /**
   * @param {Node} node
   * @param {Tree} tree
   */
  #turn(node, tree) {
    const isShown = node === tree.current;
    const judged = this.judged(node);
    const mark = judged?.mark ?? null;
    const captures = this.captures(node);
    return h(
      "button",
      {
        type: "button",
        class: mark ? `turn ${mark}` : "turn",
        "data-key": `node-${node.id}`,
        "data-path": pathTo(node).length - 1,
        "aria-current": isShown ? "true" : null,
        tabindex: isShown || (tree.current === tree.root && node.ply === 1) ? 0 : -1,
        title: mark ? t(`analysis.${mark}`, { n: points(judged?.loss ?? null) }) : null,
        onclick: () => this.wanted.emit(node),
      },
      turnParts(node.turn, moverOf(node.ply - 1), this.kinds),
      mark && h("span", { class: "sign" }, SIGNS[mark]),
      captures > 0 && h("span", { class: "captures" }, `×${captures}`),
    );
  }
}
