/** The page's words for what the protocol names. */

import { hasMessage, language, t } from "./messages.js";

/** @import { GameState, Seat, TimeControl } from "./wire.d.ts" */

/**
 * The colour of a stone.
 * @param {Seat} seat whose it is
 * @param {number} kind from 1
 */
export function stoneColour(seat, kind) {
  return t(`common.colour.${seat}_${kind}`);
}

/**
 * A stone and its colour, such as "black stone".
 * @param {Seat} seat whose it is
 * @param {number} kind from 1
 */
export function stoneTitle(seat, kind) {
  return t(`common.stone.${seat}_${kind}`);
}

/**
 * A player by the colours of the stones, such as "Black" or "Black and red".
 * @param {Seat} seat
 * @param {number} kinds how many kinds of stones a player owns
 */
export function sideTitle(seat, kinds) {
  return t(`common.side.${seat}_${kinds}`);
}

/** @param {string} words */
export function capital(words) {
  return words.charAt(0).toLocaleUpperCase(language) + words.slice(1);
}

/** @param {string} board */
export function boardTitle(board) {
  // Some names say something else, such as a wrong number of cells.
  if (hasMessage(`common.board_title.${board}`)) {
    return t(`common.board_title.${board}`);
  }
  const [, kind = "", size = ""] = /^([a-z]+)-(\d+)$/.exec(board) ?? [];
  if (hasMessage(`common.board_kind.${kind}`)) {
    return t(`common.board_kind.${kind}`, { size });
  }
  return kind === "" ? board : `${capital(kind)} ${size}`;
}

/** @param {string} rules */
export function rulesTitle(rules) {
  return hasMessage(`common.rule_set.${rules}`) ? t(`common.rule_set.${rules}`) : capital(rules);
}

/**
 * @param {number} seconds
 * @returns {string} like 45 s, 5 min, 1.5 h or 3 days
 */
export function duration(seconds) {
  const days = seconds / 86400;
  if (days >= 1) {
    return t("common.days", { n: plain(days) });
  }
  if (seconds >= 3600) {
    return t("common.hours", { n: plain(seconds / 3600) });
  }
  return seconds >= 60
    ? t("common.minutes", { n: plain(seconds / 60) })
    : t("common.seconds", { n: plain(seconds) });
}

/** @param {number} number */
function plain(number) {
  return Math.round(number * 100) / 100;
}

/** @param {TimeControl} clock */
export function clockTitle(clock) {
  switch (clock.kind) {
    case "fischer":
      return `${duration(clock.initial_s)} + ${duration(clock.increment_s)}`;
    case "byoyomi":
      return t("common.clock.byoyomi", {
        main: duration(clock.main_s),
        periods: clock.periods,
        period: duration(clock.period_s),
      });
    case "per_turn":
      return t("common.clock.per_turn", { time: duration(clock.turn_s) });
    case "absolute":
      return t("common.clock.absolute", { time: duration(clock.initial_s) });
    case "correspondence":
      return t("common.clock.correspondence", {
        initial: duration(clock.initial_s),
        increment: duration(clock.increment_s),
      });
    case "none":
      return t("common.clock.none");
  }
}

/**
 * A few words: who won, and how.
 * @param {{winner: number | null, reason: string}} result
 * @param {readonly (string | undefined)[]} names
 * @param {number | null} [me] the seat of the person, who is called "you"
 */
export function resultTitle({ winner, reason }, names, me = null) {
  if (winner === null) {
    return hasMessage(`common.draw.${reason}`)
      ? t(`common.draw.${reason}`)
      : t("common.draw.other");
  }
  const name = names[winner - 1] ?? "";
  if (winner === me) {
    return hasMessage(`common.you_won.${reason}`)
      ? t(`common.you_won.${reason}`)
      : t("common.you_won.other");
  }
  return hasMessage(`common.won.${reason}`)
    ? t(`common.won.${reason}`, { name })
    : t("common.won.other", { name });
}

/**
 * The tab's title for a game.
 * @param {GameState} game
 * @param {Seat | null} mySeat
 */
export function gameTitle(game, mySeat) {
  if (game.result) {
    return resultTitle(game.result, game.players.map(({ name }) => name));
  }
  if (game.to_play === mySeat) {
    return t("common.title.your_turn");
  }
  return t("common.turn_of", { name: game.players[game.to_play - 1]?.name ?? "" });
}

/**
 * A player's chance in percent, from 1 to 99: only a finished game is certain.
 * @param {number} value 0 to 1
 */
export function percent(value) {
  return t("common.percent", { n: Math.min(99, Math.max(1, Math.round(value * 100))) });
}

/** A loss of a chance to win, in points of a hundred. @param {number | null} loss */
export function points(loss) {
  return Math.round((loss ?? 0) * 100);
}
