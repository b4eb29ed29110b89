/** The person's running games, with the player to move and the clock, and their own challenges. */

import { formatTime, runDown } from "../shared/clock.js";
import { h } from "../shared/dom.js";
import { seatOf } from "../shared/games.js";
import { t } from "../shared/messages.js";
import { Parts } from "../shared/parts.js";
import { challengeRow, gameRow } from "./rows.js";

/** @import { Session } from "../shared/session.js" */
/** @import { Challenge, GameState, GameSummary } from "../shared/wire.d.ts" */

const TICK_MS = 500;

export class OwnGames {
  #parts = new Parts();
  /** @type {Challenge[]} */
  #waiting = [];
  /** Where the clock of each game is shown. @type {Map<string, HTMLElement>} */
  #clocks = new Map();

  /** @param {Session} session */
  constructor(session) {
    this.session = session;
    const attributes = { class: "panel urgent", "aria-label": t("lobby.own.title"), hidden: true };
    this.element = h("section", attributes);
    this.ticking = setInterval(() => this.#tick(), TICK_MS);
    this.ending = session.games.changed.on(() => this.#draw());
  }

  dispose() {
    clearInterval(this.ticking);
    this.ending();
  }

  /** @param {Challenge[]} waiting challenges that this person has made or accepted */
  update(waiting) {
    this.#waiting = waiting;
    this.#draw();
  }

  #draw() {
    const { session } = this;
    const { you, catalogue } = session;
    const myGames = session.myGames.toSorted((one, two) => this.#order(one) - this.#order(two));
    const movers = myGames.map(({ game_id: id }) => session.games.get(id)?.to_play);
    const known = catalogue.offers.games.length;
    this.element.hidden = myGames.length + this.#waiting.length === 0;
    this.#parts.draw(this.element, [myGames, movers, this.#waiting, you, known], () => [
      h("h2", {}, t("lobby.own.title")),
      h(
        "ul",
        { class: "rows" },
        myGames.map((game) => gameRow(game, session, this.#progress(game))),
        this.#waiting.map((each) => challengeRow(each, you?.name ?? "", session)),
      ),
    ]);
    this.#tick();
  }

  /**
   * The games in which the person is to move come first.
   * @param {GameSummary} game
   */
  #order({ game_id: id }) {
    const state = this.session.games.get(id);
    return state && seatOf(state, this.session.you) === state.to_play ? 0 : 1;
  }

  /** @param {GameSummary} game */
  #progress({ game_id: id, plies }) {
    const state = this.session.games.get(id);
    const clock = h("span", { class: "row-clock" });
    this.#clocks.set(id, clock);
    if (!state) {
      return null;
    }
    const isMine = seatOf(state, this.session.you) === state.to_play;
    const mover = state.players[state.to_play - 1]?.name;
    const turn = isMine
      ? h("strong", {}, t("common.your_turn"))
      : t("common.turn_of", { name: mover ?? "" });
    const number = t("lobby.own.turn", { turn: Math.max(plies, state.turns.length) + 1 });
    return h("span", {}, turn, clock, ` · ${number}`);
  }

  #tick() {
    for (const [id, clock] of this.#clocks) {
      const state = this.session.games.get(id);
      const left = state?.state === "playing" ? this.#timeLeft(state) : null;
      clock.textContent = left === null ? "" : ` · ${formatTime(left)}`;
    }
  }

  /**
   * The time that the player to move has left; null without a clock.
   * @param {GameState} state
   */
  #timeLeft(state) {
    const { clocks, setup, to_play: mover } = state;
    const elapsed = this.session.games.elapsed(state);
    const clock = clocks.players[mover - 1];
    if (clocks.first_turn_ms !== null) {
      return Math.max(0, clocks.first_turn_ms - elapsed);
    }
    return clock ? runDown(setup.clock, clock, clocks.running === mover ? elapsed : 0).ms : null;
  }
}
