/** The window with the conditional turns of a game by correspondence. */

import { LocalRules } from "../engine/local_rules.js";
import { gameTexts } from "../rules/texts.js";
import { fetchBoard } from "../shared/api.js";
import { messageOf, notify, notifyOf, openDialog } from "../shared/dialogs.js";
import { h } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { KeptPlan } from "./kept_plan.js";
import { PlanBoard } from "./plan_board.js";
import { openPlanForm } from "./plan_form.js";
import { PlanTree } from "./plan_tree.js";

/** @import { Session } from "../shared/session.js" */
/** @import { GameState } from "../shared/wire.d.ts" */

/**
 * Turns are stepped on a board; where the page has no rules, they are typed.
 * @param {Session} session
 * @param {GameState} game in which the opponent is to move
 * @returns {Promise<number | null>} how many lines there are then; null if that is not known
 */
export async function openPlan(session, game) {
  const kept = new KeptPlan(session, game);
  try {
    await kept.load();
  } catch (error) {
    notifyOf(error); // a plan that is not known must not be replaced
    return null;
  }
  const board = await boardFor(session, game, kept.lines);
  board ? await openBoard(board, kept) : await openPlanForm(kept);
  return kept.lines.length;
}

/**
 * Null without the rules in the page, and without a board.
 * @param {Session} session
 * @param {GameState} game
 * @param {string[][]} lines
 */
async function boardFor(session, { setup, turns: played }, lines) {
  const rules = new LocalRules();
  rules.load(setup);
  const loading = Promise.all([fetchBoard(setup.game, setup.board), gameTexts(setup.game)]);
  const [parts] = await Promise.all([loading.catch(() => null), rules.ready]);
  const turns = played.map(({ turn }) => turn);
  if (parts === null || rules.after(turns) === null) {
    return null;
  }
  const [raw, texts] = parts;
  const { threats, overTheBoard: bare } = session.settings.value;
  return new PlanBoard({ rules, setup, turns }, new PlanTree(lines), raw, texts, { threats, bare });
}

/**
 * @param {PlanBoard} board
 * @param {KeptPlan} kept
 */
async function openBoard(board, kept) {
  const problem = h("p", { class: "field-problem", role: "alert" });
  const keep = async () => {
    try {
      await kept.keep(board.plan.lines);
      return true;
    } catch (error) {
      problem.textContent = messageOf(error);
      return false;
    }
  };
  const buttons = [
    { label: t("common.cancel"), value: "" },
    { label: t("common.save"), value: "save", class: "primary", needsConnection: true },
  ];
  const hint = h("p", { class: "quiet plan-hint" }, t("plan.hint"));
  if (await openDialog(t("plan.title"), [hint, board.element, problem], buttons, keep)) {
    notify(t("plan.saved"));
  }
}
