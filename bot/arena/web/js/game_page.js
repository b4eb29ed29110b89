/** The page of one game: played, watched or looked at afterwards. */

import { fetchBoard } from "./api.js";
import { BoardCursor } from "./board_cursor.js";
import { BoardView } from "./board_view.js";
import { describeGroup } from "./board_words.js";
import { h, replace } from "./dom.js";
import { imaginedStones } from "./evaluation.js";
import { EvaluationView } from "./evaluation_view.js";
import { GameActions } from "./game_actions.js";
import { other, seatOf } from "./games.js";
import { Geometry } from "./geometry.js";
import { PlayerView } from "./player_view.js";
import { Replay } from "./replay.js";
import { boardTitle, clockTitle, COLOURS, gameTitle, rulesTitle } from "./sentences.js";
import { playStoneSound } from "./sound.js";
import { TurnBar } from "./turn_bar.js";
import { TurnInput } from "./turn_input.js";
import { TurnsView } from "./turns_view.js";

/** @typedef {import("./protocol.js").GameState} GameState */
/** @typedef {import("./protocol.js").PositionView} PositionView */
/** @typedef {import("./geometry.js").Group} Group */
/** @typedef {import("./session.js").Session} Session */

const TICK_MS = 100;

export class GamePage {
  /** @type {BoardView | null} */
  board = null;
  /** @type {{line: string[], ply: number} | null} */
  #imagined = null;
  /** @type {(() => void)[]} */
  #endings = [];
  #plies = -1;
  #drawnPly = -1;

  /**
   * @param {Session} session
   * @param {string} id
   */
  constructor(session, id) {
    this.session = session;
    this.id = id;
    this.replay = new Replay((ply) => session.askPosition(id, ply));
    this.input = new TurnInput(
      {
        legal: (chosen) => session.askLegal(id, chosen),
        play: (ply, turn) => session.playTurn(id, ply, turn),
      },
      () => session.settings.value.confirm,
    );
    this.players = [new PlayerView(1), new PlayerView(2)];
    this.turns = new TurnsView();
    this.evaluation = new EvaluationView();
    this.actions = new GameActions(session);
    this.bar = new TurnBar(this.input, () => this.#go(Infinity));
    this.boardPlace = h(
      "div",
      { class: "board-place" },
      h("p", { class: "quiet" }, "Loading the game"),
    );
    this.tip = h("p", { class: "tip", "aria-live": "polite" });
    this.facts = h("p", { class: "facts" });
    this.element = h("main", { class: "game", id: "page", tabindex: -1 });
    this.#listen();
    this.#watch();
  }

  #listen() {
    const { session } = this;
    const keys = (/** @type {KeyboardEvent} */ event) => this.#press(event);
    document.addEventListener("keydown", keys);
    const ticking = setInterval(() => this.#tick(), TICK_MS);
    this.#endings.push(
      session.games.changed.on((game) => game.game_id === this.id && this.#accept(game)),
      session.connection.welcomed.on(() => this.#back()),
      session.settings.changed.on(() => this.#draw()),
      this.input.changed.on(() => this.#draw()),
      this.replay.changed.on(() => this.#draw()),
      this.turns.wanted.on((ply) => this.#go(ply)),
      this.evaluation.wanted.on((ply) => this.#go(ply)),
      this.evaluation.imagined.on((line) => this.#imagine(line)),
      ...this.players.map((view) => view.pointed.on((group) => this.#point(group))),
      () => document.removeEventListener("keydown", keys),
      () => clearInterval(ticking),
    );
  }

  /** Leave the page: nothing of it may go on. */
  dispose() {
    this.#endings.forEach((end) => end());
    if (this.seat === null) {
      this.session.watch(this.id, false).catch(() => undefined);
    }
  }

  get game() {
    return this.session.games.get(this.id);
  }

  get seat() {
    return this.game ? seatOf(this.game, this.session.you?.name) : null;
  }

  get title() {
    return this.game ? gameTitle(this.game, this.seat) : "Game";
  }

  async #watch() {
    try {
      await this.session.watch(this.id, true);
    } catch (error) {
      const failure = /** @type {import("./protocol.js").Refused} */ (error);
      if (!failure.undelivered && !this.game) {
        const home = h("a", { class: "button", href: "/", "data-link": true }, "To the lobby");
        replace(
          this.element,
          h("section", { class: "panel empty" }, h("h1", {}, failure.message), home),
        );
      }
    }
  }

  /** The connection is new: follow the game again, and send what had not arrived. */
  #back() {
    this.#watch().then(() => this.input.resume());
  }

  /** @param {GameState} game */
  async #accept(game) {
    if (!this.board && !(await this.#built(game))) {
      return;
    }
    const newest = this.game ?? game;
    if (
      this.#plies >= 0 &&
      newest.turns.length > this.#plies &&
      this.session.settings.value.sound
    ) {
      playStoneSound();
    }
    if (newest.turns.length !== this.#plies) {
      this.#imagined = null;
    }
    this.#plies = newest.turns.length;
    if (newest.state === "playing" && newest.to_play === this.seat) {
      this.input.begin(newest.turns.length);
    } else {
      this.input.end();
    }
    this.replay.follow(newest.position);
  }

  /**
   * Make the board, unless it cannot be loaded.
   * @param {GameState} game
   */
  async #built(game) {
    try {
      await this.#build(game);
      return true;
    } catch {
      const again = h("button", { type: "button", onclick: () => this.#accept(game) }, "Try again");
      replace(this.boardPlace, h("p", {}, "The board could not be loaded. "), again);
      replace(this.element, this.boardPlace);
      return false;
    }
  }

  /** @param {GameState} game */
  async #build(game) {
    const { game: name, board } = game.setup;
    const geometry = new Geometry(await fetchBoard(name, board));
    if (this.board) {
      return;
    }
    const view = new BoardView(geometry);
    this.board = view;
    const choose = (/** @type {string} */ cell) => this.#choose(cell);
    view.chosen.on(choose);
    view.pointed.on((cell) => this.#point(cell === null ? null : view.groupAt(cell)));
    new BoardCursor(view, { choose, undo: () => this.input.undo() });
    replace(this.boardPlace, view.element);
    this.#layOut();
  }

  #layOut() {
    const [first, second] = this.players;
    const mine = this.seat === 1 ? first : second;
    const theirs = mine === first ? second : first;
    theirs?.element.classList.add("opponent");
    replace(
      this.element,
      h("h1", { class: "hidden-visually" }, "Game"),
      theirs?.element,
      h(
        "div",
        { class: "board-column" },
        this.actions.banner,
        this.boardPlace,
        this.tip,
        this.bar.element,
      ),
      mine?.element,
      this.evaluation.element,
      this.turns.element,
      h(
        "section",
        { class: "panel about", "aria-label": "This game" },
        this.facts,
        this.actions.element,
      ),
    );
  }

  /** @param {string} cell */
  #choose(cell) {
    if (!this.replay.live) {
      this.#go(Infinity);
    } else if (this.input.phase !== "waiting") {
      this.input.choose(cell);
    }
  }

  /** @param {number} ply */
  #go(ply) {
    this.#imagined = null;
    this.replay.go(ply);
  }

  /** @param {{line: string[], ply: number} | null} line */
  #imagine(line) {
    this.#imagined = line;
    this.#draw();
  }

  /** @param {Group | null} group */
  #point(group) {
    this.board?.highlight(group);
    this.tip.textContent = group
      ? `${COLOURS[/** @type {1 | 2} */ (group.seat)]}: ${describeGroup(group)}`
      : "";
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const typing = event.target instanceof Element && event.target.closest("input, select, dialog");
    if (typing || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    /** @type {Record<string, number>} */
    const plies = {
      ArrowLeft: this.replay.ply - 1,
      ArrowRight: this.replay.ply + 1,
      Home: 0,
      End: Infinity,
    };
    const ply = plies[event.key];
    if (ply !== undefined) {
      event.preventDefault();
      this.#go(ply);
    }
  }

  #draw() {
    const { game, board } = this;
    const position = this.replay.shown;
    if (!game || !board || !position) {
      return;
    }
    const { live, ply } = this.replay;
    if (position.ply !== this.#drawnPly) {
      // What was pointed at belongs to another position.
      this.#drawnPly = position.ply;
      this.#point(null);
    }
    board.element.classList.toggle("named", this.session.settings.value.cellNames);
    board.show(this.#picture(position));
    board.accuse(live ? (this.input.complaint?.cell ?? null) : null);
    this.#drawPlayers(game, position, board.geometry);
    this.bar.update({ game, seat: this.seat, live });
    this.turns.update(game, ply);
    this.actions.update(game, this.seat);
    if (this.session.settings.value.evaluation) {
      this.evaluation.update(game, ply);
    } else {
      this.evaluation.element.hidden = true;
    }
    replace(this.facts, ...factsOf(game));
    this.#tick();
    this.session.titleChanged.emit();
  }

  /**
   * @param {PositionView} position
   * @returns {import("./board_view.js").Picture}
   */
  #picture(position) {
    const { input, replay } = this;
    const choosing = replay.live && input.phase === "choosing";
    const line = this.#imagined ? imaginedStones(this.#imagined.line, this.#imagined.ply) : [];
    return {
      stones: position.stones,
      last: position.last,
      captured: position.captured,
      loser: position.to_play,
      pending: replay.live ? input.chosen : [],
      doomed: replay.live ? (input.legal?.captured ?? []) : [],
      legal: choosing && input.legal ? new Set(input.legal.legal) : null,
      seat: this.seat ?? position.to_play,
      line: line.filter(({ cell }) => !(cell in position.stones)),
    };
  }

  /**
   * @param {GameState} game
   * @param {PositionView} position
   * @param {Geometry} geometry
   */
  #drawPlayers(game, position, geometry) {
    const groups = geometry.groups(position.stones);
    for (const view of this.players) {
      view.update(game, view.seat === this.seat);
      const mine = position.scores[view.seat - 1] ?? [];
      const theirs = position.scores[other(view.seat) - 1] ?? [];
      view.updateScores(
        mine,
        theirs,
        groups.filter((group) => group.seat === view.seat),
      );
    }
  }

  #tick() {
    const { game } = this;
    if (game) {
      const elapsed = this.session.games.serverTime.since(game.server_time);
      this.players.forEach((view) => view.tick(game, elapsed));
    }
  }
}

/** @param {GameState} game */
function factsOf({ game_id: id, setup, state }) {
  const facts = [boardTitle(setup.board), rulesTitle(setup.rules), clockTitle(setup.clock)];
  const record = h("a", { href: `/api/records/${id}`, download: `${id}.json` }, "Record");
  return [facts.join(" · "), ...(state === "finished" ? [" · ", record] : [])];
}
