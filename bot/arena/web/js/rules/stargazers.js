/** The page's texts about Stargazers. */

import { t } from "../shared/messages.js";

/** @import { GameTexts } from "./texts.js" */

/** @type {Partial<GameTexts>} */
export default {
  sections: [
    [t("rules.stargazers.aim"), t("rules.stargazers.aim_text")],
    [t("rules.stargazers.sight"), t("rules.stargazers.sight_text")],
    [t("rules.stargazers.inspired"), t("rules.stargazers.inspired_text")],
    [t("rules.stargazers.turn"), t("rules.stargazers.turn_text")],
    [t("rules.stargazers.end"), t("rules.stargazers.end_text")],
    [t("rules.stargazers.page"), t("rules.stargazers.page_text")],
  ],
  ruleHints: {
    official: t("rules.stargazers.official_hint"),
    ludii: t("rules.stargazers.ludii_hint"),
  },
  turn: ({ options }) =>
    options["protocol"] === "alternating" ? t("rules.one_stone") : t("rules.stargazers.two_stones"),
  aim: () => t("rules.stargazers.goal"),
  ended: ({ setup }) => setup.rules === "official" ? t("rules.stargazers.ended") : "",
};
