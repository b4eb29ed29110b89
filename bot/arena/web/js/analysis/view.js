/** What an analysis board shows: the board, and the panels beside it. */

import { placeBoard } from "../board/placed.js";
import { trackOf } from "../board/track.js";
import { ProspectsSwitch } from "../board/prospects_switch.js";
import { sureLines } from "../shared/chances.js";
import { h, replace } from "../shared/dom.js";
import { hosted } from "../shared/games.js";
import { t } from "../shared/messages.js";
import { percent } from "../shared/sentences.js";
import { placementsOf } from "../shared/steps.js";
import { LearnView } from "./learn_view.js";
import { LinesView } from "./lines_view.js";
import { PlayBar } from "../game/free_play_bar.js";
import { ReviewView } from "./review_view.js";
import { TreeView } from "./tree_view.js";

/** @import { PanZoom } from "../board/pan_zoom.js" */
/** @import { TrackLayer } from "../board/track.js" */
/** @import { BoardView } from "../board/view.js" */
/** @import { Picture } from "../board/picture.d.ts" */
/** @import { TurnInput } from "../game/turn_input.js" */
/** @import { Scoring } from "../game/scores_view.js" */
/** @import { GameTexts } from "../rules/texts.js" */
/** @import { RawBoard } from "../shared/api.js" */
/** @import { PositionPanel } from "../shared/areas.js" */
/** @import { Session } from "../shared/session.js" */
/** @import { PositionView } from "../shared/wire.d.ts" */
/** @import { EngineClient } from "./engine.js" */

export class AnalysisView {
  /** @type {BoardView | null} */
  board = null;
  /** @type {PanZoom | null} */
  panZoom = null;
  kinds = 1;
  /** @type {TrackLayer | null} */
  #track = null;
  #drawnPly = -1;
  #narrow = matchMedia("(max-width: 900px)");

  /**
   * @param {Session} session
   * @param {EngineClient} engine
   * @param {TurnInput} input
   * @param {{choose: () => void, open: () => void}} press
   * @param {PositionPanel[]} panels of other capabilities
   */
  constructor(session, engine, input, press, panels) {
    this.session = session;
    this.panels = panels;
    this.engine = engine;
    this.lines = new LinesView(engine);
    this.tree = new TreeView();
    this.review = new ReviewView();
    this.learn = new LearnView();
    this.bar = new PlayBar(input, { asks: () => input.locate(input.ply) === null });
    this.boardPlace = h(
      "div",
      { class: "board-place" },
      h("p", { class: "quiet" }, t("analysis.loading")),
    );
    this.pointed = h("span", { class: "pointed", "aria-live": "polite" });
    this.tip = h("p", { class: "tip" }, this.pointed);
    this.prospects = new ProspectsSwitch(session.settings);
    this.title = h("h1", {}, t("analysis.title"));
    this.facts = h("p", { class: "facts" });
    const other = h("button", { type: "button", onclick: press.choose }, t("analysis.new_board"));
    const record = h(
      "button",
      { type: "button", onclick: press.open },
      t("analysis.record.title"),
    );
    this.about = h(
      "section",
      { class: "panel about", "aria-label": t("analysis.about") },
      this.title,
      this.facts,
      h("div", { class: "buttons" }, other, record),
    );
    this.element = h("main", { class: "game analysis", id: "page", tabindex: -1 });
    this.#narrow.addEventListener("change", this.#place);
    this.#layOut();
  }

  /** Remove the listener outside the page. */
  dispose() {
    this.#narrow.removeEventListener("change", this.#place);
  }

  #place = () => this.tree.controls.place(this.#narrow.matches, this.boardPlace, this.tip);

  #layOut() {
    replace(
      this.element,
      h(
        "div",
        { class: "board-column" },
        this.boardPlace,
        this.tip,
        this.prospects.element,
        this.bar.element,
      ),
      h(
        "aside",
        { class: "analysis-panels", "aria-label": t("analysis.title") },
        this.about,
        this.learn.element,
        this.lines.element,
        this.tree.element,
        this.review.element,
        ...this.panels.map(({ element }) => element),
      ),
    );
    this.#place();
  }

  /**
   * Show why there is nothing to analyse.
   * @param {string} message
   * @param {{href: string, words: string} | null} link
   */
  showNothing(message, link) {
    const { href, words } = link ?? { href: "/analysis", words: t("analysis.new_board") };
    const go = h("a", { class: "button", href, "data-link": true }, words);
    replace(this.element, h("section", { class: "panel empty" }, h("h1", {}, message), go));
  }

  /**
   * Make the board.
   * @param {RawBoard} raw
   * @param {GameTexts} texts
   * @param {Scoring} scoring
   */
  build(raw, texts, scoring) {
    this.kinds = raw.kinds;
    this.lines.kinds =
      this.tree.kinds =
      this.review.kinds =
      this.learn.kinds =
        raw.kinds;
    this.panels.forEach((panel) => panel.kinds = raw.kinds);
    const { board, panZoom } = placeBoard(this.boardPlace, raw, texts);
    board.pointed.on((cell) => this.#point(cell));
    this.board = board;
    this.#track = trackOf(board, scoring);
    this.panZoom = panZoom;
    return board;
  }

  /**
   * Say what is at a cell: its group, or the value of the best turn with it.
   * @param {string | null} cell
   */
  #point(cell) {
    const group = cell === null ? null : this.board?.groupAt(cell) ?? null;
    this.board?.highlight(group);
    const words = group ? this.board?.words.describeGroup(group) : this.#valueAt(cell);
    this.pointed.textContent = words ?? "";
  }

  /** @param {string | null} cell */
  #valueAt(cell) {
    const { on, problem, state } = this.engine;
    const lines = on && !problem ? state?.lines ?? [] : [];
    const isSure = sureLines(lines);
    const best = lines.find(({ turn }, place) =>
      isSure[place] &&
      placementsOf(turn, this.kinds).some((stone) => stone.cell === cell)
    );
    if (cell === null || lines.length === 0) {
      return "";
    }
    if (!best || best.value === null) {
      return t("analysis.no_value", { cell });
    }
    return t("analysis.value_at", { cell, chance: percent(best.value), turn: best.turn });
  }

  /**
   * @param {PositionView} position
   * @param {Picture} picture
   */
  showBoard(position, picture) {
    const { board } = this;
    if (!board) {
      return;
    }
    const { threats, prospects, track } = this.session.settings.value;
    board.named = true; // the engine's lines and the tree name cells
    board.rows.showsThreats = threats;
    this.prospects.update(board.prospects !== null, prospects);
    if (board.prospects) {
      board.prospects.shown = prospects ? "all" : hosted(position).over ? "lost" : "nothing";
      picture.marks = board.prospects.marked(picture.marks, picture.stones);
    }
    board.show(picture);
    this.#track?.show(track ? position.scores : null);
    const isNew = position.ply !== this.#drawnPly;
    this.#drawnPly = position.ply;
    this.panZoom?.follow(Object.keys(position.stones), position.last, isNew);
  }
}
