/** The page's texts about Free Go. */

import { t } from "../shared/messages.js";

/** @import { GameTexts } from "./texts.js" */

/** @type {Partial<GameTexts>} */
export default {
  sections: [
    [t("rules.freego.aim"), t("rules.freego.aim_text")],
    [t("rules.freego.turn"), t("rules.freego.turn_text")],
    [t("rules.freego.capture"), t("rules.freego.capture_text")],
    [t("rules.freego.ko"), t("rules.freego.ko_text")],
    [t("rules.freego.page"), t("rules.freego.page_text")],
  ],
  stonesATurn: () => 1,
  group: "chain",
  turn: () => t("rules.one_stone"),
  aim: (goal) => goal === null ? t("rules.freego.goal_unknown") : t("rules.freego.goal", { goal }),
  ended: ({ result, players }, seat) => {
    const winner = result?.winner ?? null;
    if (winner !== null && winner === seat) {
      return t("rules.freego.you_ended");
    }
    return winner ? t("rules.freego.ended", { name: players[winner - 1]?.name ?? "" }) : "";
  },
};
