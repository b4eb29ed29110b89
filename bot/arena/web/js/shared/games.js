/** The games that this page knows, each in the newest state that has arrived. */

import { applied, follows, isNewer, isPartOf } from "./changes.js";
import { ServerTime } from "./clock.js";
import { isLocal, isShared } from "./device_games.js";
import { Signal } from "./signal.js";

/** @import { GameChange, GameState, Player, PositionView, Seat } from "./wire.d.ts" */

export class Games {
  /** @type {Signal<GameState>} */
  changed = new Signal();
  serverTime = new ServerTime();
  /** Of games on this device: nothing is learned, so it is the page's own. */
  #deviceTime = new ServerTime();
  /** @type {Map<string, GameState>} */
  #states = new Map();
  /** Of each game, the digests of its turns by their number. @type {Map<string, Map<number, string>>} */
  #digests = new Map();

  /** Forget all games: a new connection sends whole states. */
  forget() {
    this.#states.clear();
    this.#digests.clear();
    this.serverTime.reset();
  }

  /**
   * Keep a state, unless a newer one of the same game is known.
   * @param {GameState} state
   */
  accept(state) {
    const known = this.#states.get(state.game_id);
    if (!known || !isPartOf(state, known)) {
      this.replace(state);
    }
  }

  /**
   * Keep a state, even if a newer one is known.
   * @param {GameState} state
   */
  replace(state) {
    this.#digests.set(state.game_id, new Map());
    this.#keep(state);
  }

  /**
   * Apply a change to a game.
   * @param {GameChange} change
   * @returns {boolean} false if it does not follow the known state; the whole state is needed then
   */
  change(change) {
    const known = this.#states.get(change.game_id);
    if (!known) {
      return false;
    }
    const isPast = this.#digests.get(change.game_id)?.get(change.ply) === change.digest;
    if (isPast && !isNewer(change, known)) {
      return true;
    }
    if (!follows(change, known)) {
      return false;
    }
    this.#keep(applied(known, change));
    return true;
  }

  /** @param {GameState} state */
  #keep(state) {
    this.#digests.get(state.game_id)?.set(state.turns.length, state.digest);
    isLocal(state.game_id) || this.serverTime.learn(state.server_time);
    this.#states.set(state.game_id, state);
    this.changed.emit(state);
  }

  /**
   * Milliseconds since the time of a state.
   * @param {GameState} state
   */
  elapsed({ game_id: id, server_time: at }) {
    return (isLocal(id) ? this.#deviceTime : this.serverTime).since(at);
  }

  /** All known games. */
  get all() {
    return [...this.#states.values()];
  }

  /** @param {string} id */
  get(id) {
    return this.#states.get(id);
  }
}

/**
 * The seat of a player, found by id: a finished game has the name that the player had then.
 * @param {{players: Player[]}} game
 * @param {Player | null} who
 * @returns {Seat | null}
 */
export function seatOf(game, who) {
  const index = game.players.findIndex((player) => who && isSame(player, who));
  return index < 0 ? null : moverOf(index);
}

/**
 * The seat for which this page plays: on a device that two people share, that of the player to move.
 * @param {GameState} game
 * @param {Player | null} who
 * @returns {Seat | null}
 */
export function seatHere(game, who) {
  return isShared(game) && game.state === "playing" ? game.to_play : seatOf(game, who);
}

/**
 * @param {Player} one
 * @param {Player} two
 */
export function isSame(one, two) {
  return one.id && two.id ? one.id === two.id : one.name === two.name;
}

/**
 * @param {Seat} seat
 * @returns {Seat}
 */
export function other(seat) {
  return seat === 1 ? 2 : 1;
}

/**
 * The player who plays a ply.
 * @param {number} ply from 0
 * @returns {Seat}
 */
export function moverOf(ply) {
  return ply % 2 === 0 ? 1 : 2;
}

/**
 * A position as hosts of games see it: the game is also over at its early end.
 * @param {PositionView} position
 */
export function hosted(position) {
  const early = position.early_end;
  return early ? { ...position, over: true, winner: early.winner } : position;
}

/**
 * How many turns the opening has.
 * @param {GameState} game
 */
export function openingPlies(game) {
  return game.tournament?.opening ?? 0;
}

/**
 * How many turns the players have played after the opening.
 * @param {GameState} game
 */
export function turnsPlayed(game) {
  return game.turns.length - openingPlies(game);
}
