/** Small boards of running games. */

import { boardOf } from "../board/board.js";
import { commonShading, SmallBoard } from "../board/small.js";
import { fetchBoard } from "../shared/api.js";
import { h, replace } from "../shared/dom.js";
import { moverOf } from "../shared/games.js";
import { t } from "../shared/messages.js";
import { colourDots } from "../shared/side.js";

/** @import { Session } from "../shared/session.js" */
/** @import { GameState, TournamentGame, TournamentState } from "../shared/wire.d.ts" */

/** A connection may follow a hundred games, but each of them costs a message per turn. */
const MOST = 6;

export class LiveBoards {
  /** @type {Map<string, LiveBoard>} */
  #boards = new Map();

  /** @param {Session} session */
  constructor(session) {
    this.session = session;
    this.list = h("ul", { class: "live-boards" });
    this.more = h("p", { class: "quiet" });
    this.element = h(
      "section",
      { class: "panel live", "aria-label": t("common.live_games") },
      h("h2", {}, t("common.live_games")),
      commonShading(),
      this.list,
      this.more,
    );
    this.element.hidden = true;
    this.ending = session.games.changed.on((game) => this.#boards.get(game.game_id)?.show(game));
  }

  dispose() {
    this.ending();
    for (const id of this.#boards.keys()) {
      this.#leave(id);
    }
  }

  /** Follow the games again: a new connection follows none. */
  restart() {
    for (const id of this.#boards.keys()) {
      this.#follow(id);
    }
  }

  /**
   * @param {TournamentState} state
   * @param {string | undefined} me
   */
  update({ rounds, settings }, me) {
    const games = rounds.flatMap((round) => round.pairings.flatMap((pairing) => pairing.games));
    const running = games.filter((game) => game.state === "playing" && game.game_id !== null);
    const isMine = (/** @type {TournamentGame} */ { seats }) => seats.some((name) => name === me);
    const chosen = this.#chosen(running.sort((a, b) => Number(isMine(b)) - Number(isMine(a))));
    for (const id of [...this.#boards.keys()].filter((each) => !chosen.includes(each))) {
      this.#leave(id);
    }
    for (const id of chosen.filter((each) => !this.#boards.has(each))) {
      const game = running.find((each) => each.game_id === id);
      const setup = settings.setups[game?.setup ?? 0];
      const kinds = setup ? this.session.catalogue.kinds(setup.game) : 1;
      this.#boards.set(id, new LiveBoard(id, game?.seats ?? ["", ""], kinds));
      this.#follow(id);
    }
    this.#draw(running.length);
  }

  /**
   * The games to show. A board stays until its game has ended.
   * @param {TournamentGame[]} running
   */
  #chosen(running) {
    const ids = running.flatMap(({ game_id: id }) => (id === null ? [] : [id]));
    const shown = ids.filter((id) => this.#boards.has(id));
    return [...shown, ...ids.filter((id) => !this.#boards.has(id))].slice(0, MOST);
  }

  /** @param {number} running */
  #draw(running) {
    const elements = [...this.#boards.values()].map((board) => board.element);
    if (
      elements.some((each, place) => this.list.children[place] !== each) ||
      this.list.children.length !== elements.length
    ) {
      replace(this.list, elements);
    }
    const others = running - elements.length;
    this.more.textContent = others > 0 ? t("tournaments.more_games", { n: others }) : "";
    this.element.hidden = running === 0;
  }

  /** @param {string} id */
  #follow(id) {
    // A game that has ended is removed by the next state of the tournament.
    this.session.watch(id, true).catch(() => undefined);
  }

  /** @param {string} id */
  #leave(id) {
    this.#boards.delete(id);
    this.session.watch(id, false).catch(() => undefined);
  }
}

class LiveBoard {
  /** @type {SmallBoard | null} */
  #board = null;
  /** @type {GameState | null} */
  #game = null;
  #awaited = false;

  /**
   * @param {string} id
   * @param {[string, string]} seats
   * @param {number} kinds how many kinds of stones a player owns
   */
  constructor(id, seats, kinds) {
    this.place = h("span", { class: "live-board-place" });
    this.sides = seats.map((name, index) =>
      h(
        "span",
        { class: "side" },
        colourDots(moverOf(index), kinds),
        h("span", { class: "player-words" }, name),
      )
    );
    this.turns = h("span", { class: "quiet" });
    const link = { class: "live-board", href: `/game/${id}`, "data-link": true };
    this.element = h("li", {}, h("a", link, this.place, this.sides, this.turns));
  }

  /** @param {GameState} game */
  show(game) {
    this.#game = game;
    if (!this.#awaited) {
      this.#awaited = true;
      this.#load(game);
    } else {
      this.#draw();
    }
  }

  /** @param {GameState} game */
  async #load({ setup }) {
    try {
      this.#board = new SmallBoard(boardOf(await fetchBoard(setup.game, setup.board)));
      replace(this.place, this.#board.element);
      this.#draw();
    } catch {
      this.#awaited = false; // the next turn tries again
    }
  }

  #draw() {
    const game = this.#game;
    if (!game || !this.#board) {
      return;
    }
    this.#board.show(game.position);
    this.turns.textContent = t("common.turns", { n: game.turns.length });
    this.sides.forEach((side, index) =>
      side.classList.toggle("to-play", game.state === "playing" && game.to_play === index + 1)
    );
  }
}
