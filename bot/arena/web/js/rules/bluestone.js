/** The page's texts about Bluestone. */

import { t } from "../shared/messages.js";
import { PASS } from "../shared/steps.js";

/** @import { GameState } from "../shared/wire.d.ts" */
/** @import { GameTexts } from "./texts.js" */

/** @type {Partial<GameTexts>} */
export default {
  sections: [
    [t("rules.bluestone.aim"), t("rules.bluestone.aim_text")],
    [t("rules.bluestone.turn"), t("rules.bluestone.turn_text")],
    [t("rules.bluestone.capture"), t("rules.bluestone.capture_text")],
    [t("rules.bluestone.abstractplay"), t("rules.bluestone.abstractplay_text")],
    [t("rules.bluestone.page"), t("rules.bluestone.page_text")],
  ],
  ruleHints: {
    official: t("rules.bluestone.official_hint"),
    abstractplay: t("rules.bluestone.abstractplay_hint"),
  },
  turn: ({ rules }) => rules === "official" ? t("rules.two_stones") : t("rules.one_or_two"),
  second: t("rules.bluestone.second"),
  aim: () => t("rules.bluestone.goal"),
  ended: (game) => [endOf(game), decisionOf(game)].filter(Boolean).join(" "),
};

/** @param {GameState} game */
function endOf({ turns }) {
  const passed = turns.length > 1 && turns.slice(-2).every(({ turn }) => turn === PASS);
  return passed ? t("rules.bluestone.both_passed") : t("rules.bluestone.full");
}

/**
 * The group that decided, in a sentence.
 * @param {GameState} game
 */
function decisionOf({ position, result }) {
  const [one, two] = position.scores;
  const at = [...Array(Math.max(one.length, two.length)).keys()].find((i) => one[i] !== two[i]);
  if (!result?.winner || at === undefined) {
    return "";
  }
  const [low = 0, high = 0] = [one[at] ?? 0, two[at] ?? 0].sort((a, b) => a - b);
  const which = ["first", "second", "third"][at] ?? "later";
  return t(`rules.bluestone.decides_${which}`, { high, low, place: at + 1 });
}
