/** What the page computes about games and clocks, for comparison with the engine and the server. */

import { gameIn } from "../../bot/arena/web/js/analysis/record_text.js";
import { Geometry } from "../../bot/arena/web/js/board/geometry.js";
import { prospectsOf } from "../../bot/arena/web/js/board/prospects.js";
import { lettersOf, trackAround } from "../../bot/arena/web/js/board/track.js";
import { Sight } from "../../bot/arena/web/js/board/sight.js";
import { charged } from "../../bot/arena/web/js/local/clocks.js";
import { gameTexts } from "../../bot/arena/web/js/rules/texts.js";
import { runDown } from "../../bot/arena/web/js/shared/clock.js";
import { Games } from "../../bot/arena/web/js/shared/games.js";
import { answerCalls } from "./answering.js";

/** @import { Stones } from "../../bot/arena/web/js/board/geometry.js" */
/** @import { RawBoard } from "../../bot/arena/web/js/shared/api.js" */
/** @import { GameChange, GameState } from "../../bot/arena/web/js/shared/wire.d.ts" */

/**
 * The cells to which arrow keys lead from the middle of a board.
 * @param {RawBoard} board
 */
function reachable(board) {
  const geometry = new Geometry(board);
  const found = new Set([geometry.middle()]);
  for (const cell of found) {
    for (const direction of /** @type {const} */ (["up", "down", "left", "right"])) {
      found.add(geometry.step(cell, direction));
    }
  }
  return [...found];
}

/**
 * The sizes of both players' groups that touch blue stones.
 * @param {RawBoard} board
 * @param {Stones} stones
 */
function groupScores(board, stones) {
  const groups = new Geometry(board).groups(stones);
  return [1, 2].map((seat) => {
    const own = groups.filter((group) => group.seat === seat);
    return own.map((group) => group.blue.length).filter((score) => score > 0);
  });
}

/**
 * The stones whose groups gaze at no star.
 * @param {RawBoard} board
 * @param {Stones} stones
 */
function darkStones(board, stones) {
  const groups = new Sight(new Geometry(board)).groups(stones);
  return groups.filter((group) => group.stars.length === 0).flatMap((group) => group.cells);
}

/**
 * The fields of a scoring track, their places and sizes.
 * @param {RawBoard} board
 * @param {number} goal
 */
function trackOf(board, goal) {
  const track = trackAround(new Geometry(board).points, goal);
  const { captures, places, field, marker, letters, reach } = track;
  return [
    captures,
    places.map(({ x, y }) => [x, y]),
    [field, marker, letters, reach],
    lettersOf(track, 1000),
  ];
}

/**
 * What the final scores lie between, and what is decided.
 * @param {RawBoard} board
 * @param {Stones} stones
 * @param {number} stonesATurn
 */
function prospects(board, stones, stonesATurn) {
  const geometry = new Geometry(board);
  const found = prospectsOf(geometry, new Sight(geometry), stones, stonesATurn);
  const closed = [...found.closed].map(([cell, seats]) => [cell, [...seats]]);
  return { scores: found.scores, dead: [...found.dead], closed, secured: [...found.secured] };
}

/**
 * Why a game is over, in words.
 * @param {string} game
 * @param {GameState} state
 */
async function endWords(game, state) {
  const { ended } = await gameTexts(game);
  return ended(state, null);
}

/**
 * The states that a page shows, one after each message. A change that the page cannot apply is
 * followed by the whole state, which the page requests then.
 * @param {["game", GameState][] | ["change", GameChange, GameState][]} messages
 */
function shownStates(messages) {
  const games = new Games();
  return messages.map(([kind, message, whole]) => {
    if (kind === "game") {
      games.accept(message);
    } else if (!games.change(message)) {
      games.replace(whole);
    }
    return games.get(message.game_id);
  });
}

/** The setup and the turns of a game in SGF. @param {string} text */
function gameInSgf(text) {
  const { played, tree } = gameIn(text) ?? {};
  return [played, tree?.text.replace("*", "").split("_")];
}

await answerCalls({
  trackOf,
  reachable,
  groupScores,
  darkStones,
  prospects,
  endWords,
  runDown,
  charged,
  shownStates,
  gameInSgf,
});
