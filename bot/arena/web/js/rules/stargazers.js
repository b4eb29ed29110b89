/** The page's texts about Stargazers. */

import { moverOf } from "../shared/games.js";
import { t } from "../shared/messages.js";
import { placementsOf } from "../shared/steps.js";

/** @import { EarlyEnd, GameState, Seat } from "../shared/wire.d.ts" */
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
  ended: (game, seat) => {
    const { early_end: end } = game.position;
    if (end) {
      return earlyEnd(game, end, seat);
    }
    // A server of version 1.0.0 does not say whether Ludii's rules ended the game early.
    const isKnown = end === null || game.setup.rules === "official";
    const stuck = stuckPlayer(game);
    if (isKnown && stuck === seat) {
      return t("rules.stargazers.you_ended");
    }
    const name = game.players[stuck - 1]?.name ?? "";
    return isKnown ? t("rules.stargazers.ended", { name }) : "";
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
 * @param {Seat | null} seat
 */
function earlyEnd({ setup, players }, { winner, assured, potential }, seat) {
  const how = setup.rules === "ludii" ? "ended_ludii" : "ended_early";
  const whose = seat === null ? "" : seat === winner ? "_won" : "_lost";
  return t(`rules.stargazers.${how}${whose}`, {
    assured,
    potential,
    winner: players[winner - 1]?.name ?? "",
    loser: players[2 - winner]?.name ?? "",
  });
}

/**
 * The player who had no cell for the next stone: after half a turn the one who played it.
 * @param {GameState} game
 */
function stuckPlayer({ turns, setup }) {
  const last = turns.length - 1;
  const stones = placementsOf(turns[last]?.turn ?? "", 1).length;
  const isHalf = last > 0 && stones < stonesATurn(setup);
  return moverOf(isHalf ? last : last + 1);
}
