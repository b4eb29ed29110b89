/** The page of one game, which is played, watched or replayed. */

import { BoardCursor } from "../board/cursor.js";
import { LocalRules } from "../engine/local_rules.js";
import { gameTexts } from "../rules/texts.js";
import { fetchBoard } from "../shared/api.js";
import { runDown } from "../shared/clock.js";
import { isLocal, isShared } from "../shared/device_games.js";
import { confirmed, messageOf } from "../shared/dialogs.js";
import { seatHere, seatOf } from "../shared/games.js";
import { loadPart } from "../shared/loading.js";
import { loadMessages, t } from "../shared/messages.js";
import { Refused } from "../shared/protocol.js";
import { gameTitle } from "../shared/sentences.js";
import { PASS } from "../shared/steps.js";
import { Autoplay } from "./autoplay.js";
import { pressGameKey } from "./keys.js";
import { Replay } from "./replay.js";
import { Review } from "./review.js";
import { playSound } from "../shared/sound.js";
import { TurnInput } from "./turn_input.js";
import { GameView } from "./view.js";

/** @import { Move } from "../board/pan_zoom.js" */
/** @import { BoardView } from "../board/view.js" */
/** @import { Areas } from "../shared/areas.js" */
/** @import { Session } from "../shared/session.js" */
/** @import { GameState, Queue } from "../shared/wire.d.ts" */
/** @import { Imagined } from "./evaluation.js" */

const TICK_MS = 100;
const LOW_MS = 10_000;

export class GamePage {
  /** @type {Imagined | null} */
  #imagined = null;
  /** @type {(() => void)[]} */
  #endings = [];
  #plies = -1;
  #isOver = false;
  /** The capabilities whose panels are open, or on their way. @type {Set<string>} */
  #panels = new Set();
  #isDisposed = false;
  /** The ply at which the person was warned of little time. */
  #warnedAt = -1;
  /** The analysis of the game, once it is finished. @type {Review | null} */
  #review = null;
  /** @type {BoardCursor | null} */
  #cursor = null;
  /** When the connection was lost, by `performance.now`; null while there is one. @type {number | null} */
  #lostAt = null;

  /**
   * @param {Session} session
   * @param {string} id
   * @param {Areas} areas
   */
  constructor(session, id, areas) {
    this.session = session;
    this.areas = areas;
    this.id = id;
    this.rules = new LocalRules();
    this.replay = new Replay(async (ply) =>
      this.#locate(ply)?.view() ?? await session.askPosition(id, ply)
    );
    this.autoplay = new Autoplay(this.replay, () => this.#isOver);
    this.input = new TurnInput(
      {
        ready: () => this.rules.ready,
        locate: (ply) => this.#locate(ply),
        legal: (chosen, about) => session.askLegal(id, chosen, about),
        play: ({ ply, turn, takebacks }) => session.playTurn(id, ply, turn, takebacks),
      },
      () => session.settings.value.confirm,
    );
    this.view = new GameView(session, this.input, {
      toNewest: () => this.#go(Infinity),
      pass: () => this.#pass(),
      look: (move) => this.#look(move),
      share: () => this.#share(),
      redraw: () => this.#draw(),
    }, areas);
    this.element = this.view.element;
    this.element.toggleAttribute("data-on-device", isLocal(id));
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
      cancel: () => this.input.cancelPremove(),
    };
    const keys = (/** @type {KeyboardEvent} */ event) => pressGameKey(event, this.replay, actions);
    document.addEventListener("keydown", keys);
    const ticking = setInterval(() => this.#tick(), TICK_MS);
    this.#endings.push(
      session.games.changed.on((game) => game.game_id === this.id && this.#accept(game)),
      session.connection.queue.on((queue) => queue.game_id === this.id && this.#wait(queue)),
      session.connection.welcomed.on(() => this.#back()),
      session.connection.statusChanged.on(() => this.#noteStatus()),
      session.settings.changed.on(() => this.#draw()),
      this.input.changed.on(() => this.#draw()),
      this.replay.changed.on(() => this.#draw()),
      this.view.turns.wanted.on((ply) => this.#go(ply)),
      this.view.turns.controls.toggled.on(() => this.autoplay.toggle()),
      this.autoplay.changed.on(() => this.#draw()),
      () => this.autoplay.stop(),
      this.view.evaluation.wanted.on((ply) => this.#go(ply)),
      this.view.evaluation.imagined.on((line) => this.#imagine(line)),
      session.lobbyChanged.on(() => this.view.actions.rematch.redraw()),
      session.catalogue.loaded.on(() => this.#draw()),
      this.view.actions.hint.changed.on(() => this.#showHint()),
      this.view.actions.planCount.changed.on(() => this.#draw()),
      () => this.view.actions.hint.dispose(),
      () => document.removeEventListener("keydown", keys),
      () => clearInterval(ticking),
      () => this.view.dispose(),
    );
  }

  /** Leave the page: end its timers and listeners. */
  dispose() {
    this.#isDisposed = true;
    this.#endings.forEach((end) => end());
    if (this.seat === null || (this.game && isShared(this.game))) {
      this.session.watch(this.id, false).catch(() => undefined);
    }
  }

  get #premoves() {
    return this.session.settings.value.premove;
  }

  get game() {
    return this.session.games.get(this.id);
  }

  /** The seat for which this page plays; null for a spectator. */
  get seat() {
    return this.game ? seatHere(this.game, this.session.you) : null;
  }

  /** The seat that is the person's alone. */
  get #ownSeat() {
    return this.game ? seatOf(this.game, this.session.you) : null;
  }

  get title() {
    return this.game ? gameTitle(this.game, this.#ownSeat) : t("common.game");
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

  /**
   * A position of the game by the rules in the page.
   * @param {number} ply
   */
  #locate(ply) {
    const turns = this.game?.turns.slice(0, ply).map(({ turn }) => turn) ?? [];
    return turns.length === ply ? this.rules.after(turns) : null;
  }

  /** @param {Queue} queue */
  #wait(queue) {
    this.view.queue = queue;
    this.#draw();
  }

  #noteStatus() {
    const isHere = this.session.connection.online || isLocal(this.id);
    this.#lostAt = isHere ? null : (this.#lostAt ?? performance.now());
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
    this.#sound(newest);
    if (newest.turns.length !== this.#plies) {
      this.#imagined = null;
      this.view.queue = null;
    }
    const isFirst = this.#plies < 0;
    this.#plies = newest.turns.length;
    this.#isOver = newest.state === "finished";
    this.#openPanels(newest);
    newest.state === "finished" && newest.turns.length > 0 && this.#askReview();
    const shown = this.replay.ply;
    // First the new position, with the turn that was sent: the board then never lacks its stones.
    this.replay.follow(newest.position, newest.takebacks ?? 0);
    if (newest.state === "playing" && newest.to_play === this.seat) {
      this.input.begin(newest.turns.length, newest.takebacks ?? 0);
    } else if (newest.state === "playing" && this.seat !== null && this.#premoves) {
      this.input.wait(newest.takebacks ?? 0);
    } else {
      this.input.end();
    }
    if (!isFirst) {
      this.autoplay.hold(shown);
    } else if (this.session.toWatch.delete(this.id) && this.seat === null) {
      // Bots may have finished it before the page was there. A player sees the game as it is.
      this.autoplay.start(0);
    } else {
      this.#go(wantedPly() ?? Infinity);
    }
  }

  /**
   * Sound what is new since the last state.
   * @param {GameState} game
   */
  #sound({ turns, state, to_play: mover }) {
    const { value } = this.session.settings;
    if (this.#plies < 0) {
      return;
    }
    if (state === "finished" && !this.#isOver) {
      playSound("end", value);
    } else if (turns.length > this.#plies) {
      const captures = (turns.at(-1)?.captured.length ?? 0) > 0;
      playSound(captures ? "capture" : mover === this.seat ? "mine" : "turn", value);
    }
  }

  /**
   * Show the panels of the person's own game; their scripts are loaded then.
   * @param {GameState} game
   */
  #openPanels(game) {
    const { seat } = this;
    if (seat !== null) {
      this.areas.playerPanels(game, seat).forEach((each) => this.#openPanel(each));
    }
  }

  /** @param {ReturnType<Areas["playerPanels"]>[number]} panel */
  async #openPanel({ name, make }) {
    if (this.#panels.has(name)) {
      return;
    }
    this.#panels.add(name);
    try {
      await loadMessages(name);
      const made = await make(this.session, this.id);
      if (!this.#isDisposed) {
        this.view.actions.panels.push(made);
        this.element.append(made.panel);
        this.#endings.push(() => made.dispose());
        this.#draw();
      }
    } catch {
      this.#panels.delete(name); // the next state tries again
    }
  }

  /** Mark the turns of a finished game that has been analysed. */
  #askReview() {
    if (this.#review === null) {
      const review = this.#review = new Review(this.session, this.id);
      this.view.turns.review = review;
      this.#endings.push(
        review.changed.on(() => this.#draw()),
        () => review.dispose(),
      );
    }
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
      this.input.draft.most = texts.stonesATurn(game.setup);
      this.#listenTo(this.view.build(game, this.#ownSeat, raw, texts));
      this.rules.load(game.setup);
    }
  }

  /** @param {BoardView} board */
  #listenTo(board) {
    const choose = (/** @type {string} */ cell) => this.#choose(cell);
    board.chosen.on(choose);
    board.fixtureChosen.on((what) => {
      if (this.replay.live) {
        const isStar = what === "star";
        this.input.refuse(isStar ? t("game.stars_stay_free") : t("game.blue_stones_stay"));
      }
    });
    this.#cursor = new BoardCursor(board, { choose, undo: () => this.#undo() });
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
    } else if (this.input.mayPremove && !(cell in (this.game?.position.stones ?? {}))) {
      this.input.premove(cell);
    }
  }

  /** @param {number} ply */
  #go(ply) {
    this.autoplay.stop();
    this.#imagined = null;
    this.replay.go(ply);
  }

  /** @param {Imagined | null} line */
  #imagine(line) {
    this.#imagined = line;
    this.#draw();
  }

  /** Take the last chosen stone back, or all of a premove. */
  #undo() {
    this.input.hasPremove ? this.input.cancelPremove() : this.input.undo();
  }

  /** Show the engine's hint on the board; it is gone with the next turn. */
  #showHint() {
    const { turn } = this.view.actions.hint;
    const { game } = this;
    this.#imagined = turn === null || !game ? null : { line: [turn], ply: game.turns.length };
    this.#draw();
  }

  /** Ask before passing, unless nothing else is legal: a mistake could end the game. */
  async #pass() {
    const { ply, mustPass } = this.input;
    const ends = this.game?.turns.at(-1)?.turn === PASS;
    const consequence = ends ? t("game.pass.ends") : t("game.pass.may_end");
    const question = t("game.pass.question");
    if (mustPass || (await confirmed(question, consequence, t("game.pass.do")))) {
      this.input.pass(ply);
    }
  }

  /** Open the window with links and files of the game. */
  async #share() {
    const shared = this.game && this.areas.shared(this.game);
    if (shared) {
      await shared;
      return;
    }
    const parts = () => Promise.all([import("../records/share.js"), loadMessages("records")]);
    const [share] = (await loadPart(parts)) ?? [];
    await share?.openShare(this.id, this.replay.ply, this.game?.turns.length ?? 0);
  }

  /** What is shown; null while the game or the board is missing. */
  get #scene() {
    const { game, seat } = this;
    const position = (this.replay.live && this.input.played) || this.replay.shown;
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
      const mayPlay = this.autoplay.isOn || (this.#isOver && scene.game.turns.length > 0);
      this.view.turns.controls.showPlay(
        this.autoplay.isOn ? "playing" : mayPlay ? "paused" : "none",
      );
      this.view.show(scene);
      this.view.tick(scene);
      this.session.titleChanged.emit();
    }
  }

  #tick() {
    const scene = this.#scene;
    if (scene) {
      this.view.tick(scene);
      this.#warn(scene.game);
    }
  }

  /**
   * Sound once a turn when the person has little time left.
   * @param {GameState} game
   */
  #warn(game) {
    const { clocks, setup, turns } = game;
    const { seat } = this;
    const clock = seat === null ? undefined : clocks.players[seat - 1];
    if (!clock || clocks.running !== seat || this.#warnedAt === turns.length) {
      return;
    }
    const elapsed = this.session.games.elapsed(game);
    const left = runDown(setup.clock, clock, elapsed);
    if (left.ms !== null && left.ms < LOW_MS && clock.main_ms !== null && clock.main_ms > LOW_MS) {
      this.#warnedAt = turns.length;
      playSound("low", this.session.settings.value);
    }
  }
}

/** The ply that the address asks for; null if it asks for none. */
function wantedPly() {
  const text = new URLSearchParams(location.search).get("ply");
  return text !== null && /^\d{1,5}$/.test(text) ? Number(text) : null;
}
