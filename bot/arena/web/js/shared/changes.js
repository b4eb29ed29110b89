/** Applies changes to the states of games, by the rules in docs/arena-protocol.md. */

/** @import { GameChange, GameState, PlayedTurn, PositionChange, PositionView } from "./wire.d.ts" */

/**
 * Whether a message is newer than a state of the same game with the same turns.
 * @param {GameChange | GameState} message
 * @param {GameState} known
 */
export function isNewer(message, known) {
  if (message.revision !== known.revision) {
    return message.revision > known.revision;
  }
  return message.sub_revision > known.sub_revision;
}

/**
 * Whether a known state is newer than another one and has all of its turns.
 * @param {GameState} state
 * @param {GameState} known
 */
export function isPartOf(state, known) {
  if (!isNewer(known, state)) {
    return false;
  }
  return (
    // It may have turns that were taken back.
    (state.takebacks ?? 0) < (known.takebacks ?? 0) ||
    state.turns.every((turn, ply) => JSON.stringify(turn) === JSON.stringify(known.turns[ply]))
  );
}

/**
 * Whether a change directly follows a state.
 * @param {GameChange} change
 * @param {GameState} known
 */
export function follows(change, known) {
  if (change.follows !== known.digest) {
    return false;
  }
  if (change.revision === known.revision) {
    return change.turn === null && change.sub_revision > known.sub_revision;
  }
  const ply = known.turns.length + (change.turn === null ? 0 : 1);
  return change.revision === known.revision + 1 && change.ply === ply;
}

/**
 * The state after a change that follows it.
 * @param {GameState} state
 * @param {GameChange} change
 * @returns {GameState}
 */
export function applied(state, change) {
  // Everything else replaces the field of that name in the state.
  const { follows: _follows, ply: _ply, turn, position, ...head } = change;
  if (turn === null || position === null) {
    return { ...state, ...head };
  }
  return {
    ...state,
    ...head,
    turns: [...state.turns, turn],
    to_play: position.to_play,
    position: positionAfter(state.position, turn, position),
  };
}

/**
 * @param {PositionView} old
 * @param {PlayedTurn} turn
 * @param {PositionChange} change
 * @returns {PositionView}
 */
function positionAfter(old, turn, change) {
  const { to_play, last, scores, over, winner, early_end } = change;
  const stones = { ...old.stones };
  for (const cell of [...change.removed, ...turn.captured]) {
    delete stones[cell];
  }
  Object.assign(stones, change.placed);
  const marks = { ...old.marks };
  for (const [cell, word] of Object.entries(change.marks)) {
    if (word === null) {
      delete marks[cell];
    } else {
      marks[cell] = word;
    }
  }
  const { captured } = turn;
  const ply = old.ply + 1;
  return { ply, to_play, stones, last, captured, marks, scores, over, winner, early_end };
}
