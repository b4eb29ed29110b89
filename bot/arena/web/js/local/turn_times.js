/**
 * How long the turns have been thought about that are due, in games of two people.
 *
 * Only a page that a person sees takes time: a turn goes on where it was when the page was hidden, left
 * or closed. So no game is lost while its page is away. Other tabs may show the same game: a tab goes on
 * from the most that any of them has kept, and keeps its own time every few seconds.
 */

import { timeLeft } from "./clocks.js";

/** @import { PlayedGame } from "./played_game.js" */

/**
 * @typedef {object} Timing
 * @property {() => number} ticks milliseconds of a clock that nobody sets
 * @property {(ms: number, ring: () => void) => () => void} alarm rings once, unless what it returns is called
 * @property {(id: string) => {revision: number, used: number} | null} usedBefore what was kept last
 * @property {(id: string, kept: {revision: number, used: number}) => void} keepUsed at once: the page may be closing
 */

/** A turn that is due: the time used before `since`, from which it runs; null while it does not. */
/**
 * @typedef {{revision: number, used: number, since: number | null, silence: () => void, rest: () => void}} Due
 * `silence` stops the alarm at the end of the time, `rest` the one that keeps it
 */

/** How often the time of a turn is kept while it runs; a crash loses no more. */
const KEEP_MS = 5000;

export class TurnTimes {
  #timing;
  #isSeen = true;
  /** The games that this tab shows, by id. @type {Map<string, PlayedGame>} */
  #shown = new Map();
  /** @type {Map<string, Due>} */
  #due = new Map();

  /** @param {Timing & { over: (game: PlayedGame) => void }} timing `over`: the time is used up */
  constructor(timing) {
    this.#timing = timing;
  }

  /** Whether this tab shows a game. @param {string} id */
  shows(id) {
    return this.#shown.has(id);
  }

  /** The tab shows a game, or a new state of it. @param {PlayedGame} game */
  show(game) {
    this.#shown.set(game.id, game);
    this.#run(game);
  }

  /** The tab no longer shows a game. @param {string} id */
  leave(id) {
    this.#pause(id);
    this.#shown.delete(id);
  }

  /** The tab is seen, or hidden. @param {boolean} isSeen */
  see(isSeen) {
    this.#isSeen = isSeen;
    for (const [id, game] of this.#shown) {
      isSeen ? this.#run(game) : this.#pause(id);
    }
  }

  /** The time that the turn which is due has taken. @param {PlayedGame} game */
  used(game) {
    const { used, since } = this.#dueIn(game);
    return used + (since === null ? 0 : this.#timing.ticks() - since);
  }

  /** Whether the clock of the player to move runs. @param {PlayedGame} game */
  isRunning(game) {
    return this.#dueIn(game).since !== null && this.#left(game) !== null;
  }

  /** Whether the time of the player to move is used up. @param {PlayedGame} game */
  isOver(game) {
    const left = this.#left(game);
    return left !== null && this.used(game) >= left;
  }

  /** @param {PlayedGame} game */
  #run(game) {
    const due = this.#dueIn(game);
    const left = this.#left(game);
    if (due.since === null && this.#isSeen && game.isPlaying) {
      due.used = Math.max(due.used, this.#kept(game));
      due.since = this.#timing.ticks();
      if (left !== null) {
        due.silence = this.#timing.alarm(left - due.used, () => this.#timing.over(game));
        this.#keepSoon(game, due);
      }
    }
  }

  /**
   * @param {PlayedGame} game
   * @param {Due} due
   */
  #keepSoon(game, due) {
    due.rest = this.#timing.alarm(KEEP_MS, () => {
      this.#keep(game);
      this.#keepSoon(game, due);
    });
  }

  /** @param {PlayedGame} game */
  #keep(game) {
    const { id, stored: { revision } } = game;
    const used = Math.max(this.used(game), this.#kept(game));
    this.#timing.keepUsed(id, { revision, used });
  }

  /** What any tab has kept of the turn that is due. @param {PlayedGame} game */
  #kept({ id, stored: { revision } }) {
    const kept = this.#timing.usedBefore(id);
    return kept?.revision === revision ? kept.used : 0;
  }

  /** @param {string} id */
  #pause(id) {
    const game = this.#shown.get(id);
    const due = game && this.#dueIn(game);
    if (due && due.since !== null) {
      due.used = this.used(game);
      due.since = null;
      due.silence();
      due.rest();
      this.#keep(game);
    }
  }

  /** @param {PlayedGame} game @returns {Due} */
  #dueIn(game) {
    const { id, stored: { revision } } = game;
    const known = this.#due.get(id);
    if (known?.revision === revision) {
      return known;
    }
    known?.silence();
    known?.rest();
    const used = this.#kept(game);
    const due = { revision, used, since: null, silence: () => {}, rest: () => {} };
    this.#due.set(id, due);
    return due;
  }

  /** @param {PlayedGame} game */
  #left(game) {
    return game.isPlaying ? timeLeft(game.clock, game.stored.turns) : null;
  }

  dispose() {
    this.#due.forEach(({ silence, rest }) => {
      silence();
      rest();
    });
  }
}
