/** The page's texts about Stargazers. */

import { moverOf } from "../shared/games.js";
import { t } from "../shared/messages.js";
import { placementsOf } from "../shared/steps.js";

/** @import { EarlyEnd, GameState } from "../shared/wire.d.ts" */
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
  stonesATurn,
  turn: (setup) =>
    stonesATurn(setup) === 1 ? t("rules.one_stone") : t("rules.stargazers.two_stones"),
  aim: () => t("rules.stargazers.goal"),
  ended: (game) => {
    const { early_end: end } = game.position;
    if (end) {
      return earlyEnd(game, end);
    }
    // A server of version 1.0.0 does not say whether Ludii's rules ended the game early.
    const isKnown = end === null || game.setup.rules === "official";
    return isKnown ? t("rules.stargazers.ended", { name: stuckPlayer(game) }) : "";
  },
};

/** @param {{options: Record<string, string | number>}} setup */
function stonesATurn({ options }) {
  return options["protocol"] === "alternating" ? 1 : 2;
}

/**
 * Why a game ended before a player was stuck: the two numbers that decided it.
 * @param {GameState} game
 * @param {EarlyEnd} end
 */
function earlyEnd({ setup, players }, { winner, assured, potential }) {
  const how = setup.rules === "ludii" ? "ended_ludii" : "ended_early";
  return t(`rules.stargazers.${how}`, {
    assured,
    potential,
    winner: players[winner - 1]?.name ?? "",
    loser: players[2 - winner]?.name ?? "",
  });
}

/**
 * The name of the player who had no cell for the next stone: after half a turn the one who played it.
 * @param {GameState} game
 */
function stuckPlayer({ turns, setup, players }) {
  const last = turns.length - 1;
  const stones = placementsOf(turns[last]?.turn ?? "", 1).length;
  const isHalf = last > 0 && stones < stonesATurn(setup);
  return players[moverOf(isHalf ? last : last + 1) - 1]?.name ?? "";
}
