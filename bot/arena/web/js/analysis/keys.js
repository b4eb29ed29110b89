/** Keys that work anywhere on an analysis board: they move in the tree of turns. */

/** @import { TurnInput } from "../game/turn_input.js" */
/** @import { EngineClient } from "./engine.js" */
/** @import { Node, Tree } from "../game/turn_tree.js" */

/**
 * What the keys act on.
 * @typedef {object} Moved
 * @property {Tree} tree
 * @property {TurnInput} input
 * @property {EngineClient} engine
 * @property {(node: Node | null | undefined) => void} go
 */

/**
 * @param {KeyboardEvent} event
 * @param {Moved} page
 */
export function pressAnalysisKey(event, page) {
  const isField = event.target instanceof Element &&
    event.target.closest("input:not([type=checkbox]), select, dialog");
  if (isField || event.ctrlKey || event.metaKey || event.altKey) {
    return;
  }
  const { tree, input, engine } = page;
  /** @type {Record<string, () => Node | null | undefined>} */
  const nodes = {
    ArrowLeft: () => tree.current.parent,
    ArrowRight: () => tree.current.children[0],
    ArrowUp: () => tree.sibling(-1),
    ArrowDown: () => tree.sibling(1),
    Home: () => tree.root,
    End: () => tree.end(),
  };
  const node = nodes[event.key];
  if (node) {
    event.preventDefault();
    page.go(node());
  } else if (event.key === "l") {
    engine.turn(!engine.on);
  } else if (event.key.toLowerCase() === "s") {
    input.swapKinds();
  } else if (/^[1-9]$/.test(event.key)) {
    input.chooseKind(Number(event.key));
  }
}
