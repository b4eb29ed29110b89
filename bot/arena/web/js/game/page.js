/** The page of one game: played, watched or looked at afterwards. */

import { BoardCursor } from "../board/cursor.js";
import { Geometry } from "../board/geometry.js";
import { Sight } from "../board/sight.js";
import { BoardView } from "../board/view.js";
import { BoardWords } from "../board/words.js";
import { gameTexts } from "../rules/texts.js";
import { fetchBoard } from "../shared/api.js";
import { messageOf } from "../shared/dialogs.js";
import { h, replace } from "../shared/dom.js";
import { other, seatOf } from "../shared/games.js";
import { Refused } from "../shared/protocol.js";
import { gameTitle } from "../shared/sentences.js";
import { termsOf } from "../shared/terms.js";
import { GameActions } from "./actions.js";
import { clocksAt } from "./clock_history.js";
import { isEvaluationShown } from "./evaluation.js";
import { EvaluationView } from "./evaluation_view.js";
import { pressGameKey } from "./keys.js";
import { pictureOf } from "./picture.js";
import { PlayerView } from "./player_view.js";
import { Replay } from "./replay.js";
import { playStoneSound } from "./sound.js";
import { TurnBar } from "./turn_bar.js";
import { TurnInput } from "./turn_input.js";
import { TurnsView } from "./turns_view.js";

/** @import { Group } from "../board/geometry.js" */
/** @import { GameTexts } from "../rules/texts.js" */
/** @import { Session } from "../shared/session.js" */
/** @import { GameState, PositionView } from "../shared/wire.d.ts" */
/** @import { Scoring } from "./scores_view.js" */

const TICK_MS = 100;

export class GamePage {
  /** @type {BoardView | null} */
  board = null;
  /** @type {PlayerView[]} */
  players = [];
  /** @type {Scoring} */
  scoring = { score: "", goal: null };
  /** @type {GameTexts | null} */
  texts = null;
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
    const actions = {
      go: (/** @type {number} */ ply) => this.#go(ply),
      chooseKind: (/** @type {number} */ kind) => this.input.chooseKind(kind),
      swapKinds: () => this.input.swapKinds(),
    };
    const keys = (/** @type {KeyboardEvent} */ event) => pressGameKey(event, this.replay, actions);
    document.addEventListener("keydown", keys);
    const ticking = setInterval(() => this.#tick(), TICK_MS);
    this.#endings.push(
      session.games.changed.on((game) => game.game_id === this.id && this.#accept(game)),
      session.connection.welcomed.on(() => this.#back()),
      session.connection.statusChanged.on(() => this.#draw()),
      session.settings.changed.on(() => this.#draw()),
      this.input.changed.on(() => this.#draw()),
      this.replay.changed.on(() => this.#draw()),
      this.turns.wanted.on((ply) => this.#go(ply)),
      this.evaluation.wanted.on((ply) => this.#go(ply)),
      this.evaluation.imagined.on((line) => this.#imagine(line)),
      session.lobbyChanged.on(() => this.actions.rematch.redraw()),
      session.catalogue.loaded.on(() => this.#draw()),
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
        const home = h("a", { class: "button", href: "/", "data-link": true }, "To the lobby");
        replace(
          this.element,
          h("section", { class: "panel empty" }, h("h1", {}, messageOf(error)), home),
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
    const { game: name, board, options } = game.setup;
    const [raw, texts] = await Promise.all([fetchBoard(name, board), gameTexts(name)]);
    if (this.board) {
      return;
    }
    const { kinds, score } = raw;
    const goal = options[score] ?? raw.options[score];
    this.texts = texts;
    this.scoring = { score, goal: goal === undefined ? null : Number(goal) };
    this.players = [new PlayerView(1, kinds), new PlayerView(2, kinds)];
    this.players.forEach((view) => view.scores.pointed.on((group) => this.#point(group)));
    this.input.draft.kinds = this.turns.kinds = this.evaluation.kinds = kinds;
    const geometry = new Geometry(raw);
    const sight = geometry.stars.length ? new Sight(geometry) : null;
    this.board = new BoardView(geometry, new BoardWords(geometry, texts.group, sight));
    this.#listenTo(this.board);
    replace(this.boardPlace, this.board.element);
    this.#layOut();
  }

  /** @param {BoardView} view */
  #listenTo(view) {
    const choose = (/** @type {string} */ cell) => this.#choose(cell);
    view.chosen.on(choose);
    view.starChosen.on(() => {
      if (this.replay.live) {
        this.input.refuse("Stars stay free: stones go on the cells around them.");
      }
    });
    view.pointed.on((cell) => this.#point(cell === null ? null : view.groupAt(cell)));
    new BoardCursor(view, { choose, undo: () => this.input.undo() });
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
    this.tip.textContent = (group && this.board?.words.describeGroup(group)) ?? "";
  }

  #draw() {
    const { game, board } = this;
    const position = this.replay.shown;
    if (!game || !board || !position || !this.texts) {
      return;
    }
    const { live, ply } = this.replay;
    if (position.ply !== this.#drawnPly) {
      // What was pointed at belongs to another position.
      this.#drawnPly = position.ply;
      this.#point(null);
    }
    board.element.classList.toggle("named", this.session.settings.value.cellNames);
    const seat = this.seat ?? position.to_play;
    board.show(pictureOf({ position, live, seat, imagined: this.#imagined }, this.input));
    board.accuse(live ? (this.input.complaint?.cell ?? null) : null);
    this.#drawPlayers(game, position, board.geometry);
    const { online } = this.session.connection;
    this.bar.update({ game, seat: this.seat, live, online, texts: this.texts });
    this.turns.update(game, ply);
    this.actions.update(game, this.seat);
    const shown = isEvaluationShown(game, this.seat, this.session.settings.value);
    this.evaluation.update(game, ply, shown);
    replace(this.facts, ...this.#factsOf(game));
    this.#tick();
    this.session.titleChanged.emit();
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
      const score = {
        mine: position.scores[view.seat - 1] ?? [],
        theirs: position.scores[other(view.seat) - 1] ?? [],
        groups: groups.filter((group) => group.seat === view.seat),
      };
      view.scores.update(score, this.scoring);
    }
  }

  #tick() {
    const { game, replay } = this;
    // Without the server nobody knows whether a clock runs: it shows what was known last.
    if (game && (this.session.connection.online || !replay.live)) {
      const elapsed = this.session.games.serverTime.since(game.server_time);
      const then = replay.live ? game : { ...game, clocks: clocksAt(game, replay.ply) };
      this.players.forEach((view) => view.tick(then, elapsed));
    }
  }

  /** @param {GameState} game */
  #factsOf({ game_id: id, setup, state }) {
    const terms = termsOf(setup, this.session.catalogue);
    const record = h("a", { href: `/api/records/${id}`, download: `${id}.json` }, "Record");
    return [terms.join(" · "), ...(state === "finished" ? [" · ", record] : [])];
  }
}
