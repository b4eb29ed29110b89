/** Engine help during running games: what the arena refuses on the server, the page refuses too. */

import { seatOf } from "./games.js";
import { t } from "./messages.js";

/** @import { Session } from "./session.js" */
/** @import { GameSetup } from "./wire.d.ts" */

/**
 * Why the person gets no help with a board now; "" if nothing forbids it. The server has the same
 * rule (bot/arena/analysis/analysis_service.py): no help in a rated game, nor on the board of a
 * running one. Whoever analyses a game that is over may have a casual game on the same board.
 * @param {Session} session
 * @param {Pick<GameSetup, "game" | "board">} setup
 * @param {string | null} [finished] the id of the game that is analysed
 * @param {(id: string) => boolean} [counts] whether a running game counts; by default, each does
 */
export function helpRefusal(session, { game, board }, finished = null, counts = () => true) {
  const setups = session.games.all
    .filter((each) => each.state === "playing" && seatOf(each, session.you) !== null)
    .filter((each) => counts(each.game_id))
    .map(({ setup }) => setup);
  const onBoard = (/** @type {{ game: string, board: string }} */ each) =>
    each.game === game && each.board === board;
  const isRefused = finished === null
    ? setups.some((each) => each.rated || onBoard(each))
    : setups.some((each) => each.rated && onBoard(each));
  return isRefused ? t("common.refusal.in_game") : "";
}
