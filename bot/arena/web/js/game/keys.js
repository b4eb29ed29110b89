/** Keys that work anywhere on a game's page: they step through turns, and choose colours. */

/** @import { Move } from "../board/pan_zoom.js" */
/** @import { Replay } from "./replay.js" */

/**
 * @typedef {object} KeyActions
 * @property {(ply: number) => void} go
 * @property {(kind: number) => void} chooseKind
 * @property {() => void} swapKinds
 * @property {(move: Move) => void} look
 * @property {() => void} cancel
 */

/** @type {Record<string, Move>} */
const MOVES = { "+": "in", "=": "in", "-": "out", 0: "whole", c: "last" };

/**
 * @param {KeyboardEvent} event
 * @param {Replay} replay
 * @param {KeyActions} actions
 */
export function pressGameKey(event, replay, actions) {
  const typing = event.target instanceof Element &&
    event.target.closest("input, select, dialog, .chat");
  if (typing || event.ctrlKey || event.metaKey || event.altKey) {
    return;
  }
  /** @type {Record<string, number>} */
  const plies = {
    ArrowLeft: replay.ply - 1,
    ArrowRight: replay.ply + 1,
    Home: 0,
    End: Infinity,
  };
  const ply = plies[event.key];
  const move = MOVES[event.key.toLowerCase()];
  if (ply !== undefined) {
    event.preventDefault();
    actions.go(ply);
  } else if (event.key === "Escape") {
    actions.cancel();
  } else if (move !== undefined) {
    actions.look(move);
  } else if (replay.live && event.key.toLowerCase() === "s") {
    actions.swapKinds();
  } else if (replay.live && /^[1-9]$/.test(event.key)) {
    actions.chooseKind(Number(event.key));
  }
}
