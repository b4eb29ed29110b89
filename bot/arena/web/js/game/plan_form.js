/** Conditional turns in writing, for a page without the rules of the game. */

import { messageOf, openDialog } from "../shared/dialogs.js";
import { h, replace } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { PASS } from "../shared/steps.js";

/** @import { GameState } from "../shared/wire.d.ts" */
/** @import { KeptPlan } from "./kept_plan.js" */

/** @param {KeptPlan} kept */
export async function openPlanForm(kept) {
  const list = h("ul", { class: "plan-lines" });
  const theirs = h("input", { type: "text", autocomplete: "off", spellcheck: "false" });
  const mine = h("input", { type: "text", autocomplete: "off", spellcheck: "false" });
  const problem = h("p", { class: "field-problem", role: "alert" });
  const button = { type: "button", "data-needs-connection": true };

  /** @param {string[][]} wanted */
  const keep = async (wanted) => {
    try {
      await kept.keep(wanted);
      problem.textContent = "";
      return true;
    } catch (error) {
      problem.textContent = messageOf(error);
      return false;
    } finally {
      draw();
    }
  };
  const draw = () =>
    replace(
      list,
      ...kept.lines.map((line, index) => {
        const remove = () => keep(kept.lines.filter((_, each) => each !== index));
        const label = t("plan.remove");
        return h(
          "li",
          {},
          h("span", {}, line.map((turn) => turn.replaceAll(",", " ")).join(" → ")),
          h("button", { ...button, class: "icon", "aria-label": label, onclick: remove }, "×"),
        );
      }),
    );
  const add = async () => {
    if (await keep([...kept.lines, [written(theirs.value), written(mine.value)]])) {
      theirs.value = mine.value = "";
      theirs.focus();
    }
  };
  draw();
  const body = [
    h("p", { class: "quiet plan-hint" }, t("plan.hint"), " ", exampleOf(kept.game)),
    list,
    h("label", { class: "field" }, t("plan.theirs"), theirs),
    h("label", { class: "field" }, t("plan.mine"), mine),
    problem,
    h("button", { ...button, onclick: add }, t("plan.add")),
  ];
  const buttons = [{ label: t("common.close"), value: "", class: "primary" }];
  await openDialog(t("plan.title"), body, buttons);
}

/**
 * How cells are written, shown by the longest turn of the game so far.
 * @param {GameState} game
 */
function exampleOf({ turns }) {
  const [turn] = turns
    .map((each) => each.turn.replaceAll(",", " "))
    .filter((each) => each !== PASS)
    .toSorted((one, two) => two.split(" ").length - one.split(" ").length);
  return turn === undefined ? "" : t("plan.example", { turn });
}

/**
 * A turn as the protocol writes it, from cells with blanks or commas between them.
 * @param {string} text
 */
function written(text) {
  return text.trim().split(/[\s,]+/).join(",") || "-";
}
