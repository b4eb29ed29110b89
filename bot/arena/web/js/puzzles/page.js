/** The page of a puzzle: the board, on which a person finds the best turn. */

import { PlayBar } from "../game/free_play_bar.js";
import { BoardCursor } from "../board/cursor.js";
import { placeBoard } from "../board/placed.js";
import { pictureOf } from "../game/picture.js";
import { TurnInput } from "../game/turn_input.js";
import { gameTexts } from "../rules/texts.js";
import { scoringOf } from "../game/scores_view.js";
import { fetchBoard } from "../shared/api.js";
import { messageOf } from "../shared/dialogs.js";
import { h, replace } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { addressOf } from "../shared/site.js";
import { PuzzlePanel } from "./panel.js";
import { Solving } from "./solving.js";

/** @import { PanZoom } from "../board/pan_zoom.js" */
/** @import { BoardView } from "../board/view.js" */
/** @import { GameTexts } from "../rules/texts.js" */
/** @import { RawBoard } from "../shared/api.js" */
/** @import { Session } from "../shared/session.js" */
/** @import { PositionView } from "../shared/wire.d.ts" */

const DAILY = "daily";

/** @typedef {{game?: string, puzzle_id?: string, daily?: boolean}} Wanted */

export class PuzzlePage {
  /** @type {Solving | null} */
  solving = null;
  /** @type {BoardView | null} */
  board = null;
  /** @type {PanZoom | null} */
  panZoom = null;
  /** @type {(() => void)[]} */
  #endings = [];
  #kinds = 1;
  #gone = false;
  /** @type {PositionView | null} */
  #shown = null;

  /**
   * @param {Session} session
   * @param {Wanted} wanted
   */
  constructor(session, wanted) {
    this.session = session;
    this.wanted = wanted;
    this.input = new TurnInput(
      {
        ready: () => this.solving?.rules.ready,
        locate: () => this.solving?.here ?? null,
        legal: (chosen, about) => this.#askLegal(chosen, about),
        play: async ({ turn }) => await this.#play(turn),
      },
      () => session.settings.value.confirm,
    );
    this.bar = new PlayBar(this.input);
    this.boardPlace = h("div", { class: "board-place" });
    this.element = h("main", { class: "game puzzle", id: "page", tabindex: -1 });
    this.#say(t("puzzles.loading"));
    const keys = (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Escape") {
        this.input.undo();
      }
    };
    document.addEventListener("keydown", keys);
    this.#endings.push(
      this.input.changed.on(() => this.#draw()),
      session.settings.changed.on(() => this.#draw()),
      session.connection.welcomed.on(() => this.solving ?? this.#ask()),
      session.connection.statusChanged.on(() => this.#noteStatus()),
      () => document.removeEventListener("keydown", keys),
    );
    if (session.connection.online) {
      this.#ask();
    }
  }

  dispose() {
    this.#gone = true;
    this.#endings.forEach((end) => end());
  }

  get title() {
    return this.wanted.daily ? t("puzzles.daily") : t("puzzles.title");
  }

  get site() {
    return this.subject === null ? null : this.session.catalogue.title(this.subject);
  }

  get subject() {
    return this.solving?.puzzle.game ?? this.wanted.game ?? null;
  }

  /** Without a connection there is no puzzle; the page asks when there is one. */
  #noteStatus() {
    if (!this.solving && !this.session.connection.online) {
      this.#say(t("common.connection.offline"));
    }
  }

  async #ask() {
    try {
      const { connection } = this.session;
      const { puzzle, standing, solution } = await connection.request("puzzle.ask", this.wanted);
      const [raw, texts] = await Promise.all([
        fetchBoard(puzzle.game, puzzle.board),
        gameTexts(puzzle.game),
        this.session.catalogue.load().catch(() => null), // titles have a fallback
      ]);
      if (this.#gone) {
        return;
      }
      this.#kinds = this.input.draft.kinds = raw.kinds;
      this.input.draft.most = texts.stonesATurn(puzzle);
      this.#build(raw, texts);
      const solving = new Solving(this.session, puzzle, standing, solution !== null);
      this.solving = solving;
      solving.changed.on(() => this.#settle());
      const game = this.session.catalogue.title(puzzle.game);
      this.panel = new PuzzlePanel(
        puzzle.daily ? t("puzzles.daily_of", { game }) : t("puzzles.of_game", { game }),
        puzzle.game,
        texts,
        scoringOf(puzzle, raw, texts),
      );
      this.panel.pressed.on((action) => this.#press(action));
      // The words are there when the panel is shown: where it is above the board, that stays.
      this.panel.update(solving, this.#kinds);
      const column = h("div", { class: "board-column" }, this.boardPlace, this.bar.element);
      replace(this.element, column, this.panel.element);
      this.session.titleChanged.emit();
      await solving.begin();
    } catch (error) {
      this.#say(messageOf(error));
    }
  }

  /** @param {string} words shown instead of a puzzle */
  #say(words) {
    const all = h("a", { class: "button", href: "/puzzles", "data-link": true }, t("puzzles.all"));
    replace(this.element, h("section", { class: "panel empty" }, h("h1", {}, words), all));
  }

  /**
   * @param {RawBoard} raw
   * @param {GameTexts} texts
   */
  #build(raw, texts) {
    const { board, panZoom } = placeBoard(this.boardPlace, raw, texts);
    this.board = board;
    this.panZoom = panZoom;
    const choose = (/** @type {string} */ cell) => this.input.choose(cell);
    board.chosen.on(choose);
    new BoardCursor(board, { choose, undo: () => this.input.undo() });
  }

  /**
   * @param {string[]} chosen
   * @param {string} [about]
   */
  async #askLegal(chosen, about) {
    if (!this.solving) {
      throw new Error("There is no puzzle.");
    }
    return await this.solving.askLegal(chosen, about);
  }

  /** @param {string} turn */
  async #play(turn) {
    this.input.end();
    await this.solving?.answer(turn);
  }

  /** @param {"show" | "next"} action */
  #press(action) {
    if (action === "show") {
      this.input.end();
      this.solving?.answer(null);
      return;
    }
    const game = this.subject;
    this.solving = this.#shown = null;
    this.input.end();
    this.wanted = game === null ? { daily: true } : { game };
    history.replaceState(null, "", addressOf(`/puzzles/${game ?? DAILY}`));
    this.#ask();
  }

  /** The puzzle has another state: let the person choose a turn while it is open. */
  #settle() {
    const { solving, input } = this;
    const { position } = solving ?? {};
    if (position && solving && !solving.isOver && solving.stage !== "judging") {
      if (input.phase === "waiting") {
        input.begin(position.ply);
      }
    } else {
      input.end();
    }
    this.#draw();
  }

  #draw() {
    const { solving, board } = this;
    if (!solving || !board || !this.panel) {
      return;
    }
    this.panel.update(solving, this.#kinds);
    this.bar.update(solving.isOver ? null : solving.position, "");
    this.bar.element.hidden = solving.isOver;
    if (solving.position) {
      this.#show(board, solving.position, solving.isOver);
    }
  }

  /**
   * @param {BoardView} board
   * @param {PositionView} position
   * @param {boolean} isOver
   */
  #show(board, position, isOver) {
    const { threats } = this.session.settings.value;
    board.named = true; // the task and the solution name cells
    board.rows.showsThreats = threats;
    const looked = { position, live: !isOver, seat: position.to_play, imagined: null };
    board.show(pictureOf(looked, this.input));
    board.accuse(this.input.complaint?.cell ?? null);
    const isFirst = this.#shown === null;
    const isNew = this.#shown !== position;
    this.#shown = position;
    this.panZoom?.follow(Object.keys(position.stones), position.last, isNew);
    if (isFirst) {
      this.panZoom?.press("whole");
    }
  }
}

/**
 * What the last part of an address `/puzzles/...` asks for.
 * @param {string} name a game, or `daily`
 * @returns {Wanted}
 */
export function wantedBy(name) {
  return name === DAILY ? { daily: true } : { game: name };
}
