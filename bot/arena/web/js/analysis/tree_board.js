/** The board of an analysis: it moves in the tree of turns, plays turns, and shows the position. */

import { BoardCursor } from "../board/cursor.js";
import { FreeRules } from "../game/free_rules.js";
import { pictureOf } from "../game/picture.js";
import { scoringOf } from "../game/scores_view.js";
import { TurnInput } from "../game/turn_input.js";
import { gameTexts } from "../rules/texts.js";
import { fetchBoard } from "../shared/api.js";
import { hosted, seatOf } from "../shared/games.js";
import { t } from "../shared/messages.js";
import { Signal } from "../shared/signal.js";
import { placementsOf } from "../shared/steps.js";
import { USUAL } from "../game/tree_address.js";
import { DeviceReview } from "./device_review.js";
import { EngineClient } from "./engine.js";
import { judgeAt } from "./judges.js";
import { Learning } from "./learn.js";
import { Positions } from "./positions.js";
import { Tree, turnsTo } from "../game/turn_tree.js";
import { AnalysisView } from "./view.js";

/** @import { Imagined } from "../game/evaluation.js" */
/** @import { Review } from "../game/review.js" */
/** @import { PositionPanel } from "../shared/areas.js" */
/** @import { Session } from "../shared/session.js" */
/** @import { GameState, PositionView, Seat } from "../shared/wire.d.ts" */
/** @import { Played } from "../game/tree_address.js" */
/** @import { Node } from "../game/turn_tree.js" */

export class TreeBoard {
  /** Emitted when another node is shown or the tree has changed. @type {Signal<void>} */
  changed = new Signal();
  /** @type {Played | null} */
  played = null;
  tree = new Tree();
  /** @type {GameState | null} */
  game = null;
  /** @type {Review | null} */
  review = null;
  /** @type {Learning | null} */
  learning = null;
  /** @type {FreeRules | null} */
  #rules = null;
  /** The analysis of the game on this device, once it is wanted. @type {DeviceReview | null} */
  #deviceReview = null;
  /** @type {Positions | null} */
  #positions = null;
  /** @type {Imagined | null} */
  #imagined = null;
  #problem = "";
  #drawnWords = "";
  /** The engine's choice when the board was drawn. @type {string | undefined} */
  #drawnTurn;
  /** Whether changes are under way that are drawn together. */
  #isSettling = false;
  /** The position that is drawn. @type {Node | null} */
  #shown = null;
  /** @type {(() => void)[]} */
  #endings = [];
  #gone = false;

  /**
   * @param {Session} session
   * @param {{choose: () => void, open: () => void}} other another board, or a record
   * @param {PositionPanel[]} panels of other capabilities
   */
  constructor(session, other, panels) {
    this.session = session;
    this.engine = new EngineClient(session, () => this.played);
    this.input = new TurnInput(
      {
        ready: () => this.#rules?.ready,
        locate: () => this.#rules?.after(this.#turns) ?? null,
        legal: (chosen, about) => this.#askLegal(chosen, about),
        play: ({ turn }) => Promise.resolve(this.#play(turn)),
      },
      () => false,
    );
    this.view = new AnalysisView(session, this.engine, this.input, other, panels);
    this.#listen();
  }

  #listen() {
    const { session, view } = this;
    this.#endings.push(
      this.engine.changed.on(() => this.#hearEngine()),
      this.input.changed.on(() => this.draw()),
      session.settings.changed.on(() => this.draw()),
      view.lines.imagined.on((line) => this.#imagine(line)),
      view.lines.played.on((turns) => this.#playAll(turns)),
      ...view.panels.flatMap(({ chosen, pointed }) => [
        chosen.on((turn) => this.#playAll([turn])),
        pointed.on((turn) => this.#imagine(turn === null ? null : this.#after(turn))),
      ]),
      view.tree.wanted.on((node) => this.go(node)),
      view.tree.controls.wanted.on((ply) => this.go(this.tree.at(ply))),
      view.tree.pressed.on((action) => this.#change(action)),
      view.review.started.on(() => this.#startReview()),
      view.review.wanted.on((ply) => this.#goInGame(ply)),
      view.review.learn.on((seat) => this.#learn(seat)),
      view.learn.pressed.on((action) => this.#answer(action)),
      () => this.engine.dispose(),
      () => this.#deviceReview?.dispose(),
      () => view.dispose(),
    );
    view.tree.judged = (node) => this.#judged(node);
    view.tree.captures = (node) => this.#capturesOf(node);
  }

  dispose() {
    this.#gone = true;
    this.#endings.forEach((end) => end());
  }

  /** Whether a board was asked for; it may still be on its way. */
  get isOpen() {
    return this.#positions !== null;
  }

  get seat() {
    return this.game ? seatOf(this.game, this.session.you) : null;
  }

  /** Whether the tree is the game without variations, at its end. */
  get isGame() {
    const turns = this.game?.turns.map(({ turn }) => turn) ?? [];
    return this.tree.text === Tree.atEnd(turns).text;
  }

  /**
   * Show a board and a tree. Returns whether they are shown: the page may have been left meanwhile.
   * @param {Played} played
   * @param {Tree} tree
   */
  async open(played, tree) {
    this.played = played;
    this.tree = tree;
    this.#rules = new FreeRules(this.session, played);
    this.#positions = new Positions(this.#rules);
    this.#endings.push(
      this.#positions.changed.on(() => this.settle()),
      this.#positions.refused.on((why) => this.#refused(why)),
    );
    try {
      const [raw, texts] = await Promise.all([
        fetchBoard(played.game, played.board ?? USUAL.board ?? ""),
        gameTexts(played.game),
      ]);
      if (this.#gone || this.played !== played) {
        return false;
      }
      this.input.draft.kinds = raw.kinds;
      this.input.draft.most = texts.stonesATurn(played);
      const board = this.view.build(raw, texts, scoringOf(played, raw, texts));
      if (board.prospects) {
        board.prospects.stonesATurn = texts.stonesATurn(played);
      }
      const choose = (/** @type {string} */ cell) => this.input.choose(cell);
      board.chosen.on(choose);
      new BoardCursor(board, { choose, undo: () => this.input.undo() });
      this.settle();
      return true;
    } catch {
      this.view.showNothing(t("analysis.no_board"), null);
      return false;
    }
  }

  /** Forget the game, before a board without one is opened. */
  leaveGame() {
    this.review?.dispose();
    this.#deviceReview?.dispose();
    this.game =
      this.review =
      this.learning =
        null;
    this.view.review.element.hidden = true;
  }

  // ---- moving in the tree ----------------------------------------------------------------------

  /** @param {Node | null | undefined} node */
  go(node) {
    if (node && node !== this.tree.current) {
      this.tree.current = node;
      this.#imagined = null;
      this.settle();
    }
  }

  /** A position of the game itself. @param {number} ply */
  #goInGame(ply) {
    let node = this.tree.root;
    for (const { turn } of this.game?.turns.slice(0, ply) ?? []) {
      node = this.tree.add(node, turn) ?? node;
    }
    this.go(node);
  }

  /** @param {"promote" | "remove"} action */
  #change(action) {
    if (action === "promote") {
      this.tree.promote(this.tree.current);
    } else {
      this.tree.remove(this.tree.current);
    }
    this.settle();
  }

  /** @param {string[]} turns */
  #playAll(turns) {
    let node = this.tree.current;
    for (const turn of turns) {
      node = this.tree.add(node, turn) ?? node;
    }
    this.#imagined = null;
    this.go(node);
  }

  /** @param {string} turn */
  #play(turn) {
    if (this.learning?.isOpen) {
      this.input.end();
      this.learning.attempt(turn);
      return;
    }
    this.go(this.tree.add(this.tree.current, turn));
  }

  /** @param {Imagined | null} line */
  #imagine(line) {
    this.#imagined = line;
    this.draw();
  }

  /**
   * @param {string[]} chosen
   * @param {string} [about]
   */
  async #askLegal(chosen, about) {
    if (!this.#rules) {
      throw new Error("There is no board.");
    }
    return await this.#rules.askLegal(this.#turns, chosen, about);
  }

  /** The turns that lead to what is shown. */
  get #turns() {
    return turnsTo(this.tree.current);
  }

  // ---- the analysis of a game ------------------------------------------------------------------

  /** Analyse the game, at the place of the engine. */
  #startReview() {
    const { engine, game, review, session } = this;
    if (game && review && engine.place === "device") {
      this.#deviceReview?.dispose();
      this.#deviceReview = new DeviceReview(session, game, review);
      this.#deviceReview.run();
    } else {
      review?.ask(true);
    }
  }

  /** @param {Seat} seat */
  #learn(seat) {
    const turns = this.game?.turns.map(({ turn }) => turn) ?? [];
    const mistakes = this.review?.mistakes(seat) ?? [];
    const [rules, played] = [this.#rules, this.played];
    if (!rules || !played) {
      return;
    }
    const judge = judgeAt(this.engine.place, this.session, played);
    this.learning = new Learning(rules, judge, turns, mistakes);
    this.learning.changed.on(() => this.#judge());
    this.#goInGame(this.learning.before.length);
    this.settle();
    this.view.learn.element.scrollIntoView({ block: "nearest" });
  }

  /** @param {"show" | "next" | "leave"} action */
  #answer(action) {
    const { learning } = this;
    if (action === "leave") {
      this.learning = null;
      this.settle();
    } else if (action === "show") {
      learning?.show();
    } else if (learning) {
      learning.next();
      learning.mistake && this.#goInGame(learning.before.length);
      this.settle();
    }
  }

  /** The puzzle has another state: show the engine's choice, or let the person try again. */
  #judge() {
    const { learning } = this;
    if (learning?.stage === "shown" && learning.mistake) {
      this.#imagined = { line: [learning.mistake.best], ply: learning.mistake.ply };
    }
    this.settle();
  }

  // ---- showing ---------------------------------------------------------------------------------

  /** Show the current node, as soon as its position is known. */
  settle() {
    this.#isSettling = true;
    try {
      this.#settle();
    } finally {
      this.#isSettling = false;
    }
    this.draw();
  }

  #settle() {
    const { tree, learning } = this;
    const turns = turnsTo(tree.current);
    const position = this.#positions?.after(turns) ?? null;
    const isPuzzle = learning !== null && learning.mistake !== null;
    if (position) {
      this.#problem = "";
      if (this.#shown !== tree.current || this.input.phase === "waiting") {
        this.#shown = tree.current;
        this.input.end();
        const isClosed = position.over || (isPuzzle && !learning.isOpen);
        isClosed || this.input.begin(position.ply);
      }
    }
    this.engine.look(position && !hosted(position).over && !isPuzzle ? turns : null);
    const { played } = this;
    this.view.panels.forEach((panel) => {
      panel.element.hidden = isPuzzle;
      position && played && !isPuzzle && panel.show(played, turns);
    });
    this.changed.emit();
  }

  /** @param {string} why */
  #refused(why) {
    this.#problem = why;
    this.draw();
  }

  /** What the panels show of the engine, apart from its own one. */
  get #engineWords() {
    return `${this.engine.on} ${this.engine.place}`;
  }

  /** The engine on this device reports several times a second: draw no more than it changes. */
  #hearEngine() {
    const shown = this.#shown && this.#positions?.known(turnsTo(this.#shown));
    if (!shown || this.#engineWords !== this.#drawnWords) {
      this.draw();
    } else if (!this.#isSettling) {
      this.view.lines.update(shown.ply, hosted(shown).over);
      this.#bestTurn === this.#drawnTurn || this.#drawBoard(shown);
    }
  }

  /** Draw again what is shown. */
  draw() {
    if (this.#isSettling) {
      return;
    }
    const { tree, view, game, review } = this;
    this.#drawnWords = this.#engineWords;
    const shown = this.#shown && this.#positions?.after(turnsTo(this.#shown));
    view.tree.update(tree);
    view.bar.update(shown ? hosted(shown) : null, this.#problem);
    if (game && review) {
      const isOnline = this.engine.place === "server";
      view.review.update(review, game, this.#plyInGame, this.seat, isOnline);
    }
    view.learn.update(this.learning);
    view.lines.element.hidden = this.learning !== null && this.learning.mistake !== null;
    if (shown) {
      view.lines.update(shown.ply, hosted(shown).over);
      this.#drawBoard(shown);
    }
  }

  /** @param {PositionView} position */
  #drawBoard(position) {
    this.#drawnTurn = this.#bestTurn;
    const imagined = this.#imagined ?? this.#best(position.ply);
    const looked = { position, live: true, seat: position.to_play, imagined };
    this.view.showBoard(position, pictureOf(looked, this.input));
    this.view.board?.accuse(this.input.complaint?.cell ?? null);
  }

  get #bestTurn() {
    return this.engine.state?.lines[0]?.turn;
  }

  /**
   * The engine's choice, shown on the board until the person chooses a stone.
   * @param {number} ply
   * @returns {Imagined | null}
   */
  #best(ply) {
    const turn = this.#bestTurn;
    const isFree = this.engine.on && this.input.draft.stones.length === 0 && !this.learning;
    return turn && isFree ? { line: [turn], ply } : null;
  }

  /**
   * A turn that could be played now, for the board.
   * @param {string} turn
   * @returns {Imagined}
   */
  #after(turn) {
    return { line: [turn], ply: turnsTo(this.tree.current).length };
  }

  /** How far the shown line is that of the game. */
  get #plyInGame() {
    const turns = this.game?.turns ?? [];
    const path = turnsTo(this.tree.current);
    const differs = path.findIndex((turn, ply) => turns[ply]?.turn !== turn);
    return differs < 0 ? path.length : differs;
  }

  /**
   * The analysed turn that leads to a node, if the node is one of the game.
   * @param {Node} node
   */
  #judged(node) {
    return this.review && this.#isOfGame(node) ? this.review.turn(node.ply - 1) : null;
  }

  /** @param {Node} node */
  #isOfGame(node) {
    const turns = this.game?.turns;
    // The last turn first: it tells most nodes of variations apart.
    return node.turn === turns?.[node.ply - 1]?.turn &&
      turnsTo(node).every((turn, ply) => turns[ply]?.turn === turn);
  }

  /**
   * How many stones a turn has captured: known in the game, and where both positions were looked at.
   * @param {Node} node
   */
  #capturesOf(node) {
    if (this.#isOfGame(node)) {
      return this.game?.turns[node.ply - 1]?.captured.length ?? 0;
    }
    const turns = turnsTo(node);
    const [before, after] = [turns.slice(0, -1), turns].map((each) => this.#positions?.known(each));
    if (!before || !after) {
      return 0;
    }
    const [had, has] = [before, after].map(({ stones }) => Object.keys(stones).length);
    return (had ?? 0) + placementsOf(node.turn, this.input.draft.kinds).length - (has ?? 0);
  }
}
