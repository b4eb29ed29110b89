/** The page's texts about HeXO. */

import { t } from "../shared/messages.js";

/** @import { GameTexts } from "./texts.js" */

/** @type {Partial<GameTexts>} */
export default {
  sections: [
    [t("rules.hexo.aim"), t("rules.hexo.aim_text")],
    [t("rules.hexo.turn"), t("rules.hexo.turn_text")],
    [t("rules.hexo.where"), t("rules.hexo.where_text")],
    [t("rules.hexo.end"), t("rules.hexo.end_text")],
    [t("rules.hexo.page"), t("rules.hexo.page_text")],
  ],
  group: "row",
  turn: () => t("rules.two_stones"),
  first: t("rules.hexo.first"),
  second: t("rules.second"),
  aim: () => t("rules.hexo.goal"),
  ended: ({ result }) => result?.winner ? "" : t("rules.hexo.ended"),
  rows: { goal: 6, reach: 8 },
  keys: [
    ["+ −", t("rules.hexo.key_zoom")],
    ["0", t("rules.hexo.key_whole")],
    ["C", t("rules.hexo.key_last")],
  ],
};
