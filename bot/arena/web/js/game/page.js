/** The page of one game, which is played, watched or replayed. */

import { BoardCursor } from "../board/cursor.js";
import { gameTexts } from "../rules/texts.js";
import { fetchBoard } from "../shared/api.js";
import { confirmed, messageOf } from "../shared/dialogs.js";
import { seatOf } from "../shared/games.js";
import { Refused } from "../shared/protocol.js";
import { gameTitle } from "../shared/sentences.js";
import { PASS } from "../shared/steps.js";
import { pressGameKey } from "./keys.js";
import { Replay } from "./replay.js";
import { playStoneSound } from "./sound.js";
import { TurnInput } from "./turn_input.js";
import { GameView } from "./view.js";

/** @import { Move } from "../board/pan_zoom.js" */
/** @import { BoardView } from "../board/view.js" */
/** @import { Session } from "../shared/session.js" */
/** @import { GameState } from "../shared/wire.d.ts" */
/** @import { Imagined } from "./evaluation.js" */

const TICK_MS = 100;

export class GamePage {
  /** @type {Imagined | null} */
  #imagined = null;
  /** @type {(() => void)[]} */
  #endings = [];
  #plies = -1;
  /** @type {BoardCursor | null} */
  #cursor = null;
  /** When the connection was lost, by `performance.now`; null while there is one. @type {number | null} */
  #lostAt = null;

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
        legal: (chosen, about) => session.askLegal(id, chosen, about),
        play: (ply, turn) => session.playTurn(id, ply, turn),
      },
      () => session.settings.value.confirm,
    );
    this.view = new GameView(session, this.input, {
      toNewest: () => this.#go(Infinity),
      pass: () => this.#pass(),
      look: (move) => this.#look(move),
    });
    this.element = this.view.element;
    this.#listen();
    this.#watch();
  }

  #listen() {
    const { session } = this;
    const actions = {
      go: (/** @type {number} */ ply) => this.#go(ply),
      chooseKind: (/** @type {number} */ kind) => this.input.chooseKind(kind),
      swapKinds: () => this.input.swapKinds(),
      look: (/** @type {Move} */ move) => this.#look(move),
    };
    const keys = (/** @type {KeyboardEvent} */ event) => pressGameKey(event, this.replay, actions);
    document.addEventListener("keydown", keys);
    const ticking = setInterval(() => this.#tick(), TICK_MS);
    this.#endings.push(
      session.games.changed.on((game) => game.game_id === this.id && this.#accept(game)),
      session.connection.welcomed.on(() => this.#back()),
      session.connection.statusChanged.on(() => this.#noteStatus()),
      session.settings.changed.on(() => this.#draw()),
      this.input.changed.on(() => this.#draw()),
      this.replay.changed.on(() => this.#draw()),
      this.view.turns.wanted.on((ply) => this.#go(ply)),
      this.view.evaluation.wanted.on((ply) => this.#go(ply)),
      this.view.evaluation.imagined.on((line) => this.#imagine(line)),
      session.lobbyChanged.on(() => this.view.actions.rematch.redraw()),
      session.catalogue.loaded.on(() => this.#draw()),
      () => document.removeEventListener("keydown", keys),
      () => clearInterval(ticking),
      () => this.view.dispose(),
    );
  }

  /** Leave the page: end its timers and listeners. */
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
    return this.game ? seatOf(this.game, this.session.you) : null;
  }

  get title() {
    return this.game ? gameTitle(this.game, this.seat) : "Game";
  }

  /** What the browser's tab names after the title. */
  get site() {
    return this.game ? this.session.catalogue.title(this.game.setup.game) : null;
  }

  /** The game that the page is about. */
  get subject() {
    return this.game?.setup.game ?? null;
  }

  async #watch() {
    try {
      await this.session.watch(this.id, true);
    } catch (error) {
      const undelivered = error instanceof Refused && error.undelivered;
      if (!undelivered && !this.game) {
        this.view.showNothing(messageOf(error));
      }
    }
  }

  #noteStatus() {
    this.#lostAt = this.session.connection.online ? null : (this.#lostAt ?? performance.now());
    this.#draw();
  }

  /** After a new connection, follow the game again, and send an unacknowledged turn again. */
  #back() {
    this.#watch().then(() => this.input.resume());
  }

  /** @param {GameState} game */
  async #accept(game) {
    if (!this.view.board && !(await this.#built(game))) {
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
      this.view.showFailure(() => this.#accept(game));
      return false;
    }
  }

  /** @param {GameState} game */
  async #build(game) {
    const { game: name, board } = game.setup;
    const [raw, texts] = await Promise.all([fetchBoard(name, board), gameTexts(name)]);
    if (!this.view.board) {
      this.input.draft.kinds = raw.kinds;
      this.#listenTo(this.view.build(game, this.seat, raw, texts));
    }
  }

  /** @param {BoardView} board */
  #listenTo(board) {
    const choose = (/** @type {string} */ cell) => this.#choose(cell);
    board.chosen.on(choose);
    board.starChosen.on(() => {
      if (this.replay.live) {
        this.input.refuse("Stars stay free: stones go on the cells around them.");
      }
    });
    this.#cursor = new BoardCursor(board, { choose, undo: () => this.input.undo() });
  }

  /**
   * Move the view of a board without an end; the cursor goes along to the last turn.
   * @param {Move} move
   */
  #look(move) {
    const { panZoom } = this.view;
    panZoom?.press(move);
    if (move === "last" && panZoom?.lastCell !== undefined) {
      this.#cursor?.go(panZoom.lastCell);
    }
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

  /** @param {Imagined | null} line */
  #imagine(line) {
    this.#imagined = line;
    this.#draw();
  }

  /** Ask before passing, unless nothing else is legal: a mistake could end the game. */
  async #pass() {
    const { ply, mustPass } = this.input;
    const ends = this.game?.turns.at(-1)?.turn === PASS;
    const consequence = ends
      ? "Your opponent has just passed, so the game ends with the present scores."
      : "If your opponent passes too, the game ends with the present scores.";
    if (mustPass || (await confirmed("Pass this turn?", consequence, "Pass"))) {
      this.input.pass(ply);
    }
  }

  /** What is shown; null while the game or the board is missing. */
  get #scene() {
    const { game, seat } = this;
    const position = this.replay.shown;
    if (!game || !position || !this.view.board) {
      return null;
    }
    const { live, ply } = this.replay;
    const offlineMs = this.#lostAt === null ? null : performance.now() - this.#lostAt;
    return { game, seat, position, live, ply, offlineMs, imagined: this.#imagined };
  }

  #draw() {
    const scene = this.#scene;
    if (scene) {
      this.view.show(scene);
      this.view.tick(scene);
      this.session.titleChanged.emit();
    }
  }

  #tick() {
    const scene = this.#scene;
    if (scene) {
      this.view.tick(scene);
    }
  }
}
