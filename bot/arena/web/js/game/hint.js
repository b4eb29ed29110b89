/** A hint in a casual game against a bot: the engine's best turn, shown on the board. */

import { notify, notifyOf } from "../shared/dialogs.js";
import { t } from "../shared/messages.js";
import { Signal } from "../shared/signal.js";

/** @import { Session } from "../shared/session.js" */
/** @import { AnalysisState, GameState, Seat } from "../shared/wire.d.ts" */

export class Hint {
  /** @type {Signal<void>} */
  changed = new Signal();
  /** The turn that the engine would play; null without a hint. @type {string | null} */
  turn = null;
  #request = "";
  /** The position of the hint: its ply, and how often turns had been taken back. */
  #position = "";
  /** @type {() => void} */
  #ending;

  /** @param {Session} session */
  constructor(session) {
    this.session = session;
    this.#ending = session.connection.analysis.on((state) => this.#hear(state));
  }

  dispose() {
    this.#ending();
  }

  get isAsking() {
    return this.#request !== "";
  }

  /**
   * Whether the person may ask now.
   * @param {GameState} game
   * @param {Seat} seat
   */
  isAllowed({ setup, tournament, players, to_play: mover, state }, seat) {
    const opponent = players[2 - seat];
    return state === "playing" && mover === seat && opponent?.kind === "bot" && !setup.rated &&
      tournament === null;
  }

  /**
   * The game has a new state: a hint for another position is over.
   * @param {GameState} game
   */
  follow(game) {
    if (this.#position !== "" && this.#position !== positionOf(game)) {
      this.#position = "";
      this.#request = "";
      this.turn = null;
    }
  }

  /** @param {GameState} game */
  async ask(game) {
    const { game: name, board, rules, options } = game.setup;
    const request = crypto.getRandomValues(new Uint32Array(2)).join("-");
    this.#request = request;
    this.#position = positionOf(game);
    this.changed.emit();
    try {
      const { analysis } = await this.session.connection.request("analysis.start", {
        request,
        setup: { game: name, board, rules, options },
        turns: game.turns.map(({ turn }) => turn),
        effort: "quick",
        hint: game.game_id,
      });
      this.#hear(analysis);
    } catch (error) {
      this.#request = "";
      this.changed.emit();
      notifyOf(error);
    }
  }

  /** @param {AnalysisState} state */
  #hear({ request, state, lines, message }) {
    if (request !== this.#request || state === "queued" || state === "running") {
      return;
    }
    this.#request = "";
    this.turn = lines[0]?.turn ?? null;
    if (this.turn === null) {
      notify(message ?? t("game.hint.none"), "error");
    }
    this.changed.emit();
  }
}

/** @param {GameState} game */
function positionOf({ turns, takebacks }) {
  return `${turns.length} ${takebacks}`;
}
