/** The analysis of a finished game: asked for, followed, and used to mark turns. */

import { isLocal } from "../shared/device_games.js";
import { Signal } from "../shared/signal.js";

/** @import { Session } from "../shared/session.js" */
/** @import { AnalysedTurn, GameAnalysis, Seat } from "../shared/wire.d.ts" */

/** A turn that loses at most this much is as good as the engine's choice. */
export const GOOD_LOSS = 0.05;
/** @type {Record<string, string>} */
export const SIGNS = { inaccuracy: "?!", mistake: "?", blunder: "??" };

export class Review {
  /** @type {Signal<void>} */
  changed = new Signal();
  /** @type {GameAnalysis | null} */
  analysis = null;
  problem = "";
  /** Whether this device makes the analysis, and not the server. */
  #isHere = false;
  /** @type {(() => void)[]} */
  #endings;

  /**
   * @param {Session} session
   * @param {string} id of the game
   */
  constructor(session, id) {
    this.session = session;
    this.id = id;
    this.#endings = [
      session.connection.gameAnalysis.on((news) => news.game_id === id && this.#hearServer(news)),
      session.connection.welcomed.on(() => this.ask(false)),
    ];
    if (session.connection.online || isLocal(id)) {
      this.ask(false);
    }
  }

  dispose() {
    this.#endings.forEach((end) => end());
  }

  /** @param {boolean} start whether to begin the analysis if there is none */
  async ask(start) {
    this.#isHere &&= !start;
    if (this.#isHere) {
      return;
    }
    const isUnderWay = this.analysis?.state === "queued" || this.analysis?.state === "running";
    try {
      const asked = { game_id: this.id, start: start || isUnderWay };
      const { analysis } = await this.session.connection.request("analysis.game", asked);
      this.problem = "";
      this.#hearServer(analysis);
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error);
      this.changed.emit();
    }
  }

  /**
   * Show the analysis that this device makes.
   * @param {GameAnalysis} news
   */
  take = (news) => {
    this.#isHere = true;
    this.#hear(news);
  };

  /**
   * Say why there is no analysis.
   * @param {string} why
   */
  refuse(why) {
    this.problem = why;
    this.changed.emit();
  }

  /** @param {GameAnalysis} news */
  #hearServer(news) {
    this.#isHere || this.#hear(news);
  }

  /** @param {GameAnalysis} news */
  #hear(news) {
    const known = this.analysis;
    if (known?.state === "done" || (known && news.done < known.done && news.state === "running")) {
      return;
    }
    this.analysis = news;
    this.problem = news.state === "failed" ? news.message ?? "" : "";
    this.changed.emit();
  }

  /**
   * The analysed turn that was played at a ply, from 0.
   * @param {number} ply
   */
  turn(ply) {
    return this.analysis?.turns.find((each) => each.ply === ply) ?? null;
  }

  get isDone() {
    return this.analysis?.state === "done";
  }

  /**
   * A player's turns that are marked, those that lost most first.
   * @param {Seat} seat
   */
  mistakes(seat) {
    const own = this.analysis?.turns.filter(({ player, mark }) => player === seat && mark) ?? [];
    return own.sort((one, two) => (two.loss ?? 0) - (one.loss ?? 0));
  }
}

/**
 * The first player's chance after an analysed turn.
 * @param {AnalysedTurn} turn
 */
export function firstPlayersChance({ player, value }) {
  return value === null ? null : player === 1 ? value : 1 - value;
}
