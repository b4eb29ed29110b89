/** The page's words for what the protocol names. */

/** @import { GameState, Result, Seat, TimeControl } from "./wire.d.ts" */

/** The colours of a player's stones, by kind. @type {Record<Seat, string[]>} */
const COLOURS = { 1: ["black", "red"], 2: ["white", "gold"] };

/**
 * The colour of a stone.
 * @param {Seat} seat whose it is
 * @param {number} kind from 1
 */
export function stoneColour(seat, kind) {
  return COLOURS[seat][kind - 1] ?? `kind ${kind}`;
}

/**
 * A player by the colours of the stones, such as "Black" or "Black and red".
 * @param {Seat} seat
 * @param {number} kinds how many kinds of stones a player owns
 */
export function sideTitle(seat, kinds) {
  return capital(COLOURS[seat].slice(0, kinds).join(" and "));
}

/** @param {string} words */
export function capital(words) {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** @type {Record<string, string>} */
const BOARD_KINDS = { pent: "Pentagon", hexhex: "Hexagon", limping: "Limping hexagon" };

/** Boards whose name says something else, such as a wrong number of cells. @type {Record<string, string>} */
const BOARD_TITLES = { "stars-63": "Stars 66", plane: "Unbounded board" };

/** @param {string} board */
export function boardTitle(board) {
  const title = BOARD_TITLES[board];
  if (title) {
    return title;
  }
  const [, kind, size] = /^([a-z]+)-(\d+)$/.exec(board) ?? [];
  return kind === undefined ? board : `${BOARD_KINDS[kind] ?? capital(kind)} ${size}`;
}

/** @type {Record<string, string>} */
const RULE_SETS = { abstractplay: "Abstract Play" };

/** @param {string} rules */
export function rulesTitle(rules) {
  return `${RULE_SETS[rules] ?? capital(rules)} rules`;
}

/**
 * @param {number} seconds
 * @returns {string} like 45 s, 5 min, 1.5 h or 3 days
 */
export function duration(seconds) {
  const days = seconds / 86400;
  if (days >= 1) {
    return `${plain(days)} ${days === 1 ? "day" : "days"}`;
  }
  if (seconds >= 3600) {
    return `${plain(seconds / 3600)} h`;
  }
  return seconds >= 60 ? `${plain(seconds / 60)} min` : `${plain(seconds)} s`;
}

/** @param {number} number */
function plain(number) {
  return String(Math.round(number * 100) / 100);
}

/** @param {TimeControl} clock */
export function clockTitle(clock) {
  switch (clock.kind) {
    case "fischer":
      return `${duration(clock.initial_s)} + ${duration(clock.increment_s)}`;
    case "byoyomi":
      return `${duration(clock.main_s)}, then ${clock.periods} × ${duration(clock.period_s)}`;
    case "per_turn":
      return `${duration(clock.turn_s)} a turn`;
    case "absolute":
      return `${duration(clock.initial_s)} for the game`;
    case "correspondence":
      return `${duration(clock.initial_s)} + ${duration(clock.increment_s)} a turn`;
    case "none":
      return "Unlimited time";
  }
}

/** @type {Record<string, string>} */
const REASONS = {
  played_out: "",
  resignation: "by resignation",
  draw_agreement: "by agreement",
  time_forfeit: "on time",
  abandonment: "by abandonment",
  aborted: "before both had played",
};

/**
 * A few words: who won, and how.
 * @param {Result} result
 * @param {readonly {name: string}[]} players
 */
export function resultTitle(result, players) {
  const reason = REASONS[result.reason] ?? result.reason;
  if (result.reason === "aborted") {
    return `Aborted ${reason}`;
  }
  const winner = result.winner && players[result.winner - 1]?.name;
  return `${winner ? `${winner} won` : "Draw"} ${reason}`.trim();
}

/**
 * The tab's title for a game.
 * @param {GameState} game
 * @param {Seat | null} mySeat
 */
export function gameTitle(game, mySeat) {
  if (game.result) {
    return resultTitle(game.result, game.players);
  }
  if (game.to_play === mySeat) {
    return "● Your turn";
  }
  return `${game.players[game.to_play - 1]?.name}’s turn`;
}

/**
 * @param {number} count
 * @param {string} one
 * @param {string} [many]
 */
export function counted(count, one, many = `${one}s`) {
  return `${count} ${count === 1 ? one : many}`;
}

/**
 * A player's chance in percent, from 1 to 99: only a finished game is certain.
 * @param {number} value 0 to 1
 */
export function percent(value) {
  return `${Math.min(99, Math.max(1, Math.round(value * 100)))} %`;
}
