/** Keys that work anywhere on an analysis board: they move in the tree of turns. */

import { isElsewhere, pressTreeKey } from "../game/tree_keys.js";

/** @import { TreeBoard } from "./tree_board.js" */

/**
 * @param {KeyboardEvent} event
 * @param {TreeBoard} page
 */
export function pressAnalysisKey(event, page) {
  const { engine, input, tree } = page;
  const isInWindow = event.target instanceof Element && event.target.closest("dialog") !== null;
  if (isInWindow || isElsewhere(event)) {
    return;
  }
  if (event.key === "l") {
    engine.turn(!engine.on);
  } else {
    pressTreeKey(event, { tree, input, go: (node) => page.go(node) });
  }
}
