/** The tournaments that this page knows, each in the newest state, and requests about them. */

import { ServerTime } from "./clock.js";
import { Signal } from "./signal.js";

/** @import { Connection } from "./connection.js" */
/** @import { ClientEvents, TournamentState } from "./wire.d.ts" */

/** @typedef {Extract<keyof ClientEvents, `tournament.${string}`>} TournamentRequest */

export class Tournaments {
  /** @type {Signal<TournamentState>} */
  changed = new Signal();
  serverTime = new ServerTime();
  /** @type {Map<string, TournamentState>} */
  #states = new Map();

  /** @param {Connection} connection */
  constructor(connection) {
    this.connection = connection;
    connection.welcomed.on(() => this.#forget());
    connection.tournament.on((state) => this.accept(state));
  }

  #forget() {
    this.#states.clear();
    this.serverTime.reset();
  }

  /**
   * Keep a state, unless a newer one of the same tournament is known.
   * @param {TournamentState} state
   */
  accept(state) {
    const known = this.#states.get(state.tournament_id);
    if (known && known.revision > state.revision) {
      return;
    }
    this.serverTime.learn(state.server_time);
    this.#states.set(state.tournament_id, state);
    this.changed.emit(state);
  }

  /**
   * Send a request, and keep the new state of the tournament.
   * @template {TournamentRequest} Event
   * @param {Event} event
   * @param {Omit<ClientEvents[Event]["send"], "v">} fields
   * @returns {Promise<TournamentState>}
   * @throws {Refused} as `Connection.request`
   */
  async ask(event, fields) {
    const { tournament } = await this.connection.request(event, fields);
    this.accept(tournament);
    return tournament;
  }

  /**
   * @param {string} id
   * @param {boolean} follow
   */
  async watch(id, follow) {
    const asked = this.connection.request("tournament.watch", { tournament_id: id, follow });
    const { tournament } = await asked;
    if (follow) {
      this.accept(tournament);
    }
  }
}
