/** The page's texts about Blooms. */

import { t } from "../shared/messages.js";

/** @import { GameTexts } from "./texts.js" */

/** @type {Partial<GameTexts>} */
export default {
  sections: [
    [t("rules.blooms.aim"), t("rules.blooms.aim_text")],
    [t("rules.blooms.colours"), t("rules.blooms.colours_text")],
    [t("rules.blooms.turn"), t("rules.blooms.turn_text")],
    [t("rules.blooms.capture"), t("rules.blooms.capture_text")],
    [t("rules.blooms.page"), t("rules.blooms.page_text")],
  ],
  group: "bloom",
  turn: () => t("rules.one_or_two"),
  second: t("rules.second_or_not"),
  aim: (goal) => goal === null ? t("rules.blooms.goal_unknown") : t("rules.blooms.goal", { goal }),
  ended: ({ result, players }, seat) => {
    const winner = result?.winner ?? null;
    if (winner !== null && winner === seat) {
      return t("rules.blooms.you_ended");
    }
    return winner ? t("rules.blooms.ended", { name: players[winner - 1]?.name ?? "" }) : "";
  },
};
