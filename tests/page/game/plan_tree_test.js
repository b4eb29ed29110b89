import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { linesAfter } from "../../../bot/arena/web/js/game/kept_plan.js";
import { MOST_LINES, MOST_TURNS, PlanTree } from "../../../bot/arena/web/js/game/plan_tree.js";

/**
 * Play turns from the start.
 * @param {PlanTree} plan
 * @param {...string} turns
 */
function play(plan, ...turns) {
  plan.tree.current = plan.tree.root;
  return turns.map((turn) => plan.play(turn));
}

Deno.test("lines come back as the server keeps them", () => {
  const lines = [["a1,a2", "b1,b2"], ["a3,a4", "b1,b2", "c1,c2", "d1,d2"], ["pass", "pass"]];
  deepStrictEqual(new PlanTree(lines).lines, lines);
  deepStrictEqual(new PlanTree().lines, []);
});

Deno.test("a turn without an answer is no line, and the answers before it are", () => {
  const plan = new PlanTree();
  play(plan, "a1");
  deepStrictEqual(plan.lines, []);
  play(plan, "a1", "b1", "c1");
  play(plan, "a1", "b1", "c2");
  deepStrictEqual(plan.lines, [["a1", "b1"]]);
  play(plan, "a1", "b1", "c2", "d2");
  deepStrictEqual(plan.lines, [["a1", "b1", "c2", "d2"]]);
  deepStrictEqual(plan.ends.map(({ turn }) => turn), ["c1", "d2"]);
});

Deno.test("the opponent may play several turns, and each has one answer", () => {
  const plan = new PlanTree([["a1,a2", "b1,b2", "c1,c2", "d1,d2"], ["a3,a4", "b1,b2"]]);
  play(plan, "a2,a1", "b3,b4");
  deepStrictEqual(plan.lines, [["a1,a2", "b3,b4"], ["a3,a4", "b1,b2"]]);
  play(plan, "a3,a4", "b2,b1");
  deepStrictEqual(plan.tree.current.turn, "b1,b2");
  strictEqual(plan.lines.length, 2);
});

Deno.test("there is room for what the server accepts", () => {
  const plan = new PlanTree();
  for (let n = 0; n < MOST_LINES; n++) {
    deepStrictEqual(play(plan, `a${n}`, "b1", "c1", "d1"), [true, true, true, true]);
  }
  deepStrictEqual(play(plan, "e1"), [false]);
  deepStrictEqual(play(plan, "a1", "b1", "c2"), [true, true, false]);
  deepStrictEqual(play(plan, "a1", "b1", "c1", "d1", "e1", "f1"), Array(6).fill(true));
  strictEqual(plan.isLongest, true);
  strictEqual(plan.tree.current.ply, MOST_TURNS);
  strictEqual(plan.lines.length, MOST_LINES);
});

Deno.test("a line is removed up to where another one begins", () => {
  const plan = new PlanTree([["a1", "b1", "c1", "d1"], ["a1", "b1", "c2", "d2"]]);
  const [first, second] = plan.ends;
  first && plan.remove(first);
  deepStrictEqual(plan.lines, [["a1", "b1", "c2", "d2"]]);
  second && plan.remove(second);
  deepStrictEqual(plan.lines, []);
  strictEqual(plan.tree.current, plan.tree.root);
});

Deno.test("of a plan that is carried out, the turns that may follow are left", () => {
  const lines = [["a1,a2", "b1", "c1", "d1"], ["a3", "b1"], ["a2,a1", "b1"]];
  deepStrictEqual(linesAfter([], lines), lines);
  deepStrictEqual(linesAfter(["a2,a1", "b1"], lines), [["c1", "d1"]]);
  deepStrictEqual(linesAfter(["a9"], lines), []);
});
