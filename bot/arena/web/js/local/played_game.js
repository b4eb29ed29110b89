/** A stored game with its positions, and how the protocol shows it. */

import { localBot } from "./players.js";

/** @import { Position, Rules } from "../engine/rules.js" */
/** @import { GameSetup, GameState, GameSummary, Player, PlayerClock, Result } from "../shared/wire.d.ts" */
/** @import { StoredGame } from "./stored_game.js" */

/** @type {PlayerClock} */
const NO_CLOCK = { main_ms: null, periods: 0, period_used_ms: 0, flagged: false };
/**
 * The page learns the time of its server from every state. A time so long ago teaches it nothing, and
 * no clock of these games needs it.
 */
const NO_TIME = new Date(0).toISOString();

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

  get isBotsTurn() {
    return this.isPlaying && this.position.toPlay !== this.stored.seat;
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
   * @param {Player} person
   * @param {Partial<GameState>} [passing] what is not stored
   * @returns {GameState}
   */
  state(person, passing = {}) {
    const { stored, position } = this;
    return {
      v: 1,
      game_id: stored.id,
      revision: stored.revision,
      sub_revision: 0,
      digest: String(stored.revision), // no two lists of turns have the same one
      setup: setupOf(stored),
      players: playersOf(stored, person),
      connected: [true, true],
      state: this.isPlaying ? "playing" : "finished",
      turns: stored.turns.map(({ turn, time_ms, info }, ply) => ({
        ...{ turn, time_ms, clock: NO_CLOCK },
        captured: capturedIn(this.#positions[ply + 1]),
        info: this.isPlaying ? null : info, // as on a server, a person sees it after the game
      })),
      to_play: position.toPlay,
      position: position.view(),
      clocks: { players: [NO_CLOCK, NO_CLOCK], running: null, first_turn_ms: null, away_ms: null },
      ...{ draw_offer: null, takeback_offer: null, abort_offer: null },
      ...{ takebacks: stored.takebacks, hints: stored.hints, spectators: 0 },
      result: resultOf(stored, person),
      tournament: null,
      created_at: stored.created_at,
      server_time: NO_TIME,
      ...passing,
    };
  }
}

/**
 * A stored game as lists show it.
 * @param {StoredGame} stored
 * @param {Player} person
 * @returns {GameSummary}
 */
export function summaryOf(stored, person) {
  const isPlaying = stored.result === null;
  return {
    ...{ game_id: stored.id, setup: setupOf(stored), players: playersOf(stored, person) },
    ...{ state: isPlaying ? "playing" : "finished", plies: stored.turns.length },
    ...{ result: resultOf(stored, person), tournament: null },
    ...{ created_at: stored.created_at, ended_at: isPlaying ? null : stored.changed_at },
  };
}

/** @param {StoredGame} stored @returns {GameSetup} */
function setupOf({ setup }) {
  return { ...setup, clock: { kind: "none" }, rated: false };
}

/**
 * @param {StoredGame} stored
 * @param {Player} person
 * @returns {[Player, Player]}
 */
function playersOf({ seat, level }, person) {
  const bot = localBot(level);
  return seat === 1 ? [person, bot] : [bot, person];
}

/**
 * @param {StoredGame} stored
 * @param {Player} person
 * @returns {Result | null}
 */
function resultOf({ result }, { name }) {
  const deed = { played_out: "", resignation: "resigned.", aborted: "aborted the game." };
  return result && {
    ...{ winner: result.winner, reason: result.reason, unrated: null },
    message: `${name} ${deed[result.reason]}`,
  };
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
