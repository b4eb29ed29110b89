/**
 * The messages of the arena protocol that the page reads, as types for editors and checkers;
 * docs/arena-protocol.md explains them.
 */

export const VERSION = 1;

/** @typedef {1 | 2} Seat */
/**
 * @typedef {object} Player
 * @property {string | null} [id] stays the same when the name changes
 * @property {string} name
 * @property {"bot" | "person" | "guest"} kind
 * @property {string | null} [engine]
 * @property {number | null} [level] of a bot that says how strong it plays: 1 to 10
 */

/**
 * @typedef {{kind: "fischer", initial_s: number, increment_s: number}
 *   | {kind: "byoyomi", main_s: number, period_s: number, periods: number}
 *   | {kind: "per_turn", turn_s: number}
 *   | {kind: "absolute", initial_s: number}
 *   | {kind: "correspondence", initial_s: number, increment_s: number, maximum_s: number}
 *   | {kind: "none"}} TimeControl
 */

/**
 * @typedef {object} PlayerClock
 * @property {number | null} main_ms
 * @property {number} periods
 * @property {number} period_used_ms
 * @property {boolean} flagged
 */

/**
 * @typedef {object} GameSetup
 * @property {string} game
 * @property {string} board
 * @property {string} rules
 * @property {Record<string, string>} options
 * @property {TimeControl} clock
 * @property {boolean} rated
 */

/**
 * @typedef {object} Challenge
 * @property {string} challenge_id
 * @property {Player} creator
 * @property {GameSetup} setup
 * @property {[string | null, string | null]} seats
 * @property {boolean} random_seats
 * @property {string[]} accepted
 * @property {"open" | "started" | "declined" | "cancelled" | "expired"} state
 * @property {string | null} code
 * @property {string | null} message
 * @property {string | null} game_id
 * @property {string} created_at
 * @property {string} expires_at
 */

/**
 * @typedef {object} TurnInfo
 * @property {number | null} value the mover's own chance to win, 0 to 1
 * @property {number | null} visits
 * @property {string[]} pv
 * @property {string | null} source
 */

/**
 * @typedef {object} PlayedTurn
 * @property {string} turn
 * @property {string[]} captured
 * @property {number} time_ms
 * @property {PlayerClock} clock
 * @property {TurnInfo | null} info
 */

/**
 * @typedef {object} PositionView
 * @property {number} ply
 * @property {Seat} to_play
 * @property {Record<string, [Seat, number]>} stones
 * @property {string[]} last
 * @property {string[]} captured
 * @property {Record<string, string>} marks words on stones that need one
 * @property {[number[], number[]]} scores
 * @property {boolean} over
 * @property {Seat | null} winner
 */

/** @typedef {{winner: Seat | null, reason: string, message: string}} Result */
/**
 * @typedef {object} ClockView
 * @property {[PlayerClock, PlayerClock]} players
 * @property {Seat | null} running
 * @property {number | null} [first_turn_ms] for the first turn, while no clock runs yet
 */

/**
 * @typedef {object} GameState
 * @property {string} game_id
 * @property {number} revision
 * @property {GameSetup} setup
 * @property {[Player, Player]} players
 * @property {[boolean, boolean]} connected
 * @property {"playing" | "finished"} state
 * @property {PlayedTurn[]} turns
 * @property {Seat} to_play
 * @property {PositionView} position
 * @property {ClockView} clocks
 * @property {Seat | null} draw_offer
 * @property {Result | null} result
 * @property {string} created_at
 * @property {string} server_time
 */

/**
 * @typedef {object} GameSummary
 * @property {string} game_id
 * @property {GameSetup} setup
 * @property {[Player, Player]} players
 * @property {"playing" | "finished"} state
 * @property {number} plies
 * @property {Result | null} result
 * @property {string} created_at
 */

/**
 * @typedef {object} LegalView
 * @property {number} ply
 * @property {string[]} legal steps, as `steps.js` reads them
 * @property {Record<string, {rule: string, message: string}>} illegal
 * @property {boolean} complete
 * @property {boolean} may_pass
 * @property {string[]} captured
 */

/**
 * @typedef {object} Welcome
 * @property {Player} you
 * @property {string | null} guest_key
 * @property {string} server
 * @property {string} server_time
 * @property {GameState[]} games
 * @property {Challenge[]} challenges
 */

/**
 * @typedef {object} Lobby
 * @property {number} revision
 * @property {Player[]} players
 * @property {Challenge[]} challenges
 * @property {GameSummary[]} games
 */

/** A request that was not carried out: by the server's word, or because it cannot be reached. */
export class Refused extends Error {
  /**
   * @param {string} code a code of the protocol, or `offline` or `no_answer`
   * @param {string} message a sentence for people
   */
  constructor(code, message) {
    super(message);
    this.code = code;
  }

  /** Whether the server never had its say, so that asking again may help. */
  get undelivered() {
    return this.code === "offline" || this.code === "no_answer";
  }
}
