/** A board in its place on a page, with what belongs to it. */

import { replace } from "../shared/dom.js";
import { boardOf, wordsOf } from "./board.js";
import { PanZoom } from "./pan_zoom.js";
import { BoardView } from "./view.js";
import { ViewTools } from "./view_tools.js";

/** @import { RawBoard } from "../shared/api.js" */
/** @import { Move } from "./pan_zoom.js" */

/**
 * Make a board; one without an end gets the buttons that move its view.
 * @param {HTMLElement} place
 * @param {RawBoard} raw
 * @param {{group: string, rows: {goal: number, reach: number} | null}} texts of its game
 * @param {(move: Move) => void} [look] hears those buttons; else the view moves
 */
export function placeBoard(place, raw, texts, look) {
  const geometry = boardOf(raw, texts.rows?.reach);
  const board = new BoardView(geometry, wordsOf(geometry, texts));
  const panZoom = board.lattice && new PanZoom(board.element, board.lattice);
  panZoom?.moved.on((camera) => board.look(camera.box, camera.look.scale));
  const tools = panZoom && new ViewTools(panZoom, look ?? ((move) => panZoom.press(move)));
  replace(place, board.element, tools?.element, tools?.arrow);
  return { board, panZoom };
}
