/** The turns of the bots on this device: they are searched in workers, one at a time for each game. */

/** @import { Setup } from "../engine/mechanics.d.ts" */
/** @import { TurnInfo } from "../shared/wire.d.ts" */
/** @import { PlayedGame } from "./played_game.js" */

/**
 * A bot of a level; `choose` gives null if it was stopped.
 * @typedef {object} Bot
 * @property {(turns: readonly string[], milliseconds?: number) => Promise<{turn: string, info: TurnInfo} | null>} choose
 * @property {() => void} stop
 * @property {() => void} dispose
 */

/**
 * @typedef {object} Host
 * @property {(setup: Setup, level: number) => Bot} makeBot
 * @property {(name: string, act: () => Promise<void>) => Promise<void>} alone
 * @property {(id: string) => Promise<PlayedGame>} game as it is on the disk
 * @property {(game: PlayedGame, turn: string, info: TurnInfo) => Promise<void>} play
 * @property {(why: string) => void} failed
 */

/** A worker that has died is started again so often. */
const TRIES = 2;

export class BotTurns {
  #host;
  /** By the ids of games. @type {Map<string, Bot>} */
  #bots = new Map();
  /** The games in which a turn is sought, with the revision. @type {Map<string, number>} */
  #sought = new Map();
  #isDisposed = false;

  /** @param {Host} host */
  constructor(host) {
    this.#host = host;
  }

  /**
   * A game has a new state: seek a turn if the bot is to move, else end the search.
   * @param {PlayedGame} game
   */
  due(game) {
    const { id, stored, isBotsTurn } = game;
    const sought = this.#sought.get(id);
    if (sought !== undefined && sought !== stored.revision) {
      this.#bots.get(id)?.stop(); // its answer is about another position
    }
    if (isBotsTurn && sought === undefined) {
      this.#seek(id);
    } else if (!game.isPlaying) {
      this.#end(id);
    }
  }

  dispose() {
    this.#isDisposed = true;
    [...this.#bots.keys()].forEach((id) => this.#end(id));
  }

  /** @param {string} id */
  #end(id) {
    this.#bots.get(id)?.dispose();
    this.#bots.delete(id);
  }

  /** @param {string} id */
  async #seek(id) {
    this.#sought.set(id, 0);
    try {
      await this.#host.alone(id, () => this.#playAll(id));
    } catch (error) {
      this.#end(id);
      this.#isDisposed || this.#host.failed(error instanceof Error ? error.message : String(error));
    } finally {
      this.#sought.delete(id);
    }
  }

  /** Play until the person is to move; another tab may have played meanwhile. @param {string} id */
  async #playAll(id) {
    let tries = 0;
    for (;;) {
      const game = await this.#host.game(id);
      if (!game.isBotsTurn || this.#isDisposed) {
        return;
      }
      this.#sought.set(id, game.stored.revision);
      try {
        const chosen = await this.#botOf(game).choose(game.turns);
        chosen && await this.#host.play(game, chosen.turn, chosen.info);
      } catch (error) {
        this.#end(id);
        if (++tries >= TRIES) {
          throw error;
        }
      }
    }
  }

  /** The bot of a game; those of games without a search end. @param {PlayedGame} game */
  #botOf({ id, stored }) {
    [...this.#bots.keys()].filter((each) => !this.#sought.has(each)).forEach((each) =>
      this.#end(each)
    );
    const bot = this.#bots.get(id) ?? this.#host.makeBot(stored.setup, stored.level ?? 0);
    this.#bots.set(id, bot);
    return bot;
  }
}
