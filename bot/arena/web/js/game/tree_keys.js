/** Keys that move in a tree of turns, and choose the colours of stones. */

/** @import { TurnInput } from "./turn_input.js" */
/** @import { Node, Tree } from "./turn_tree.js" */

/**
 * What the keys act on.
 * @typedef {object} Moved
 * @property {Tree} tree
 * @property {TurnInput} input
 * @property {(node: Node | null | undefined) => void} go
 */

/**
 * Whether a key belongs to a field, or to the browser.
 * @param {KeyboardEvent} event
 */
export function isElsewhere({ target, ctrlKey, metaKey, altKey }) {
  const isField = target instanceof Element &&
    target.closest("input:not([type=checkbox]), select") !== null;
  return isField || ctrlKey || metaKey || altKey;
}

/**
 * @param {KeyboardEvent} event
 * @param {Moved} page
 */
export function pressTreeKey(event, { tree, input, go }) {
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
    go(node());
  } else if (event.key.toLowerCase() === "s") {
    input.swapKinds();
  } else if (/^[1-9]$/.test(event.key)) {
    input.chooseKind(Number(event.key));
  }
}
