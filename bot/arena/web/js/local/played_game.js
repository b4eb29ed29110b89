/** A stored game with its positions, and how the protocol shows it. */

import { other } from "../shared/games.js";
import { clocksAfter, clocksOf } from "./clocks.js";
import { opponentOf } from "./opponent.js";
import { playersOf, resultOf, setupOf } from "./summary.js";

/** @import { Position, Rules } from "../engine/rules.js" */
/** @import { ClockView, GameState, PlayerClock } from "../shared/wire.d.ts" */
/** @import { People } from "./players.js" */
/** @import { StoredGame } from "./stored_game.js" */

/**
 * Whether the clock of the player to move runs, and when their turn would have begun without pauses,
 * by the page's time.
 * @typedef {{isRunning: boolean, began: number}} Timed
 */

/** What the turn before a position captured: each state has that of all turns. @type {WeakMap<Position, string[]>} */
const captures = new WeakMap();

/** A stored game contradicts the rules. */
export class DamagedGame extends Error {}

export class PlayedGame {
  /** The positions before and after each turn. @type {Position[]} */
  #positions;

  /**
   * @param {StoredGame} stored
   * @param {Position[]} positions
   */
  constructor(stored, positions) {
    this.stored = stored;
    this.#positions = positions;
  }

  /**
   * @param {StoredGame} stored
   * @param {Rules} rules
   * @param {PlayedGame | null} [known] the same game, earlier
   * @throws {DamagedGame}
   */
  static opened(stored, rules, known = null) {
    const positions = known?.position.rules === rules ? known.#shared(stored) : [rules.start()];
    for (const { turn } of stored.turns.slice(positions.length - 1)) {
      positions.push(played(/** @type {Position} */ (positions.at(-1)), turn));
    }
    const game = new PlayedGame(stored, positions);
    const { over, hasEnded, finalWinner } = game.position;
    const { result } = stored;
    const isPlayedOut = result?.reason === "played_out";
    // Games of version 1.0.0 went on after an early end.
    const isPossible = isPlayedOut ? hasEnded && result.winner === finalWinner : !over;
    if (!isPossible) {
      throw new DamagedGame("the result is not that of the last position");
    }
    return game;
  }

  /**
   * The positions up to the first turn that differs.
   * @param {StoredGame} stored
   */
  #shared({ turns }) {
    const same = this.stored.turns.findIndex(({ turn }, ply) => turn !== turns[ply]?.turn);
    return this.#positions.slice(0, same < 0 ? this.#positions.length : same + 1);
  }

  get id() {
    return this.stored.id;
  }

  get turns() {
    return this.stored.turns.map(({ turn }) => turn);
  }

  get position() {
    return /** @type {Position} */ (this.#positions.at(-1));
  }

  /**
   * @param {number} ply
   * @returns {Position | undefined}
   */
  positionAt(ply) {
    return this.#positions[ply];
  }

  get isPlaying() {
    return this.stored.result === null;
  }

  get opponent() {
    return opponentOf(this.stored.seat);
  }

  get isBotsTurn() {
    return this.isPlaying && this.opponent.isToMove(this.position.toPlay);
  }

  /** Whether the bot plays the turn of a ply. @param {number} ply */
  isBotsAt(ply) {
    const position = this.positionAt(ply);
    return position !== undefined && this.opponent.isToMove(position.toPlay);
  }

  get clock() {
    return setupOf(this.stored).clock;
  }

  /**
   * The stored game after a turn.
   * @param {Omit<StoredGame["turns"][number], "turn">} about
   * @param {Position} after
   * @param {string} now
   * @returns {StoredGame}
   */
  after(about, after, now) {
    const turns = [...this.stored.turns, { ...about, turn: after.turns.at(-1) ?? "" }];
    const { hasEnded, finalWinner: winner } = after;
    const result = hasEnded ? { winner, reason: /** @type {const} */ ("played_out") } : null;
    return this.changed({ turns, result }, now);
  }

  /**
   * The stored game after a change.
   * @param {Partial<StoredGame>} change
   * @param {string} now
   * @returns {StoredGame}
   */
  changed(change, now) {
    return { ...this.stored, ...change, revision: this.stored.revision + 1, changed_at: now };
  }

  /**
   * The whole state, as a server sends it.
   * @param {People} people
   * @param {Timed} timed
   * @param {Partial<GameState>} [passing] what is not stored
   * @returns {GameState}
   */
  state(people, { isRunning, began }, passing = {}) {
    const { stored, position } = this;
    const played = clocksOf(this.clock, stored.turns);
    return {
      v: 1,
      game_id: stored.id,
      revision: stored.revision,
      sub_revision: 0,
      digest: String(stored.revision), // no two lists of turns have the same one
      setup: setupOf(stored),
      players: playersOf(stored, people),
      connected: [true, true],
      state: this.isPlaying ? "playing" : "finished",
      turns: played.map(({ turn, time_ms, info, clock }, ply) => ({
        ...{ turn, time_ms, clock },
        captured: capturedIn(this.#positions[ply + 1]),
        info: this.isPlaying ? null : info, // as on a server, a person sees it after the game
      })),
      to_play: position.toPlay,
      position: position.view(),
      clocks: this.#clocks(isRunning),
      ...{ draw_offer: null, takeback_offer: null, abort_offer: null },
      ...{ takebacks: stored.takebacks, hints: stored.hints, spectators: 0 },
      result: resultOf(stored, people),
      tournament: null,
      created_at: stored.created_at,
      server_time: new Date(began).toISOString(),
      ...passing,
    };
  }

  /**
   * @param {boolean} isRunning
   * @returns {ClockView}
   */
  #clocks(isRunning) {
    const { result, turns } = this.stored;
    const late = result?.reason === "time_forfeit" && result.winner ? other(result.winner) : null;
    const [one, two] = clocksAfter(this.clock, turns);
    const running = isRunning ? this.position.toPlay : null;
    return {
      players: [late === 1 ? usedUp(one) : one, late === 2 ? usedUp(two) : two],
      ...{ running, first_turn_ms: null, away_ms: null },
    };
  }
}

/** @param {PlayerClock} clock */
function usedUp(clock) {
  return { ...clock, main_ms: 0, periods: 0, flagged: true };
}

/** @param {Position | undefined} position */
function capturedIn(position) {
  const captured = position && (captures.get(position) ?? position.view().captured);
  position && captured && captures.set(position, captured);
  return captured ?? [];
}

/**
 * @param {Position} position
 * @param {string} turn
 */
function played(position, turn) {
  try {
    return position.play(turn);
  } catch (error) {
    throw new DamagedGame(`${turn} is no turn`, { cause: error });
  }
}
