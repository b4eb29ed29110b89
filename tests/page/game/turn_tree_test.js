import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { MOST_NODES, Tree, turnsTo } from "../../../bot/arena/web/js/game/turn_tree.js";

Deno.test("a tree in an address comes back as it was", () => {
  const tree = Tree.ofGame(["a1", "b2,c3", "d4,e5"]);
  const [first] = tree.root.children;
  const other = first && tree.add(first, "f6,g7");
  tree.current = (other && tree.add(other, "pass")) ?? tree.root;
  const again = Tree.parse(tree.text);
  strictEqual(again.text, tree.text);
  deepStrictEqual(turnsTo(again.current), ["a1", "f6,g7", "pass"]);
  strictEqual(again.isMain(again.current), false);
});

Deno.test("of a damaged address as much is read as makes sense", () => {
  strictEqual(Tree.parse(")a1_(<b>*((c3").text, "*a1(c3)");
  strictEqual(Tree.parse("a1_b2,c3_c3,b2").text, "*a1_b2,c3_c3,b2");
});

Deno.test("a tree has an end, and room again after a removal", () => {
  const tree = Tree.ofGame(Array.from({ length: MOST_NODES }, (_, ply) => `a${ply}`));
  strictEqual(tree.add(tree.root, "b1"), null);
  tree.remove(tree.end(tree.root));
  strictEqual(tree.add(tree.root, "b1")?.ply, 1);
});

Deno.test("the order of the stones in a turn does not matter", () => {
  const tree = Tree.ofGame(["a1", "b2,c3"]);
  const [first] = tree.root.children;
  strictEqual(first && tree.add(first, "c3,b2"), tree.end());
});
