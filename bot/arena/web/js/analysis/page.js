/** The analysis board: a finished game, or a board without one, with variations and an engine. */

import { BoardCursor } from "../board/cursor.js";
import { pictureOf } from "../game/picture.js";
import { Review } from "../game/review.js";
import { TurnInput } from "../game/turn_input.js";
import { gameTexts } from "../rules/texts.js";
import { fetchBoard } from "../shared/api.js";
import { messageOf } from "../shared/dialogs.js";
import { h, replace } from "../shared/dom.js";
import { seatOf } from "../shared/games.js";
import { t } from "../shared/messages.js";
import { boardTitle, gameTitle } from "../shared/sentences.js";
import { hashOf, readAddress } from "./address.js";
import { EngineClient } from "./engine.js";
import { pressAnalysisKey } from "./keys.js";
import { Learning } from "./learn.js";
import { Positions } from "./positions.js";
import { chooseSetup } from "./setup_dialog.js";
import { pathTo, Tree, turnsTo } from "./tree.js";
import { AnalysisView } from "./view.js";

/** @import { Move } from "../board/pan_zoom.js" */
/** @import { Imagined } from "../game/evaluation.js" */
/** @import { Session } from "../shared/session.js" */
/** @import { GameState, Seat } from "../shared/wire.d.ts" */
/** @import { Played } from "./address.js" */
/** @import { Node } from "./tree.js" */

/** @type {Played} */
const USUAL = { game: "bluestone", board: "pent-6", rules: null, options: {} };
const ADDRESS_DELAY_MS = 300;

export class AnalysisPage {
  /** @type {Played | null} */
  played = null;
  tree = new Tree();
  /** @type {GameState | null} */
  game = null;
  /** @type {Review | null} */
  review = null;
  /** @type {Learning | null} */
  learning = null;
  /** @type {Positions | null} */
  #positions = null;
  /** @type {Imagined | null} */
  #imagined = null;
  #problem = "";
  /** The position that is drawn. @type {Node | null} */
  #shown = null;
  /** @type {(() => void)[]} */
  #endings = [];
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #saving;
  #gone = false;

  /**
   * @param {Session} session
   * @param {string | null} id of a finished game
   */
  constructor(session, id) {
    this.session = session;
    this.id = id;
    this.engine = new EngineClient(session, () => this.played);
    this.input = new TurnInput(
      {
        legal: (chosen, about) => this.#askLegal(chosen, about),
        play: ({ turn }) => Promise.resolve(this.#play(turn)),
      },
      () => false,
    );
    const press = {
      look: (/** @type {Move} */ move) => this.view.panZoom?.press(move),
      choose: () => this.#chooseBoard(),
    };
    this.view = new AnalysisView(session, this.engine, this.input, press);
    this.element = this.view.element;
    this.#listen();
    this.#open();
  }

  #listen() {
    const { session, view } = this;
    const keys = (/** @type {KeyboardEvent} */ event) => pressAnalysisKey(event, this);
    const hash = () => this.#readHash();
    document.addEventListener("keydown", keys);
    addEventListener("hashchange", hash);
    this.#endings.push(
      this.engine.changed.on(() => this.#draw()),
      this.input.changed.on(() => this.#draw()),
      session.settings.changed.on(() => this.#draw()),
      session.connection.welcomed.on(() => (this.#positions ? this.#settle() : this.#open())),
      view.lines.imagined.on((line) => this.#imagine(line)),
      view.lines.played.on((turns) => this.#playAll(turns)),
      view.openings.chosen.on((turn) => this.#playAll([turn])),
      view.openings.pointed.on((turn) => this.#imagine(turn === null ? null : this.#after(turn))),
      view.tree.wanted.on((node) => this.go(node)),
      view.tree.controls.wanted.on((ply) => this.#goTo(ply)),
      view.tree.pressed.on((action) => this.#change(action)),
      view.review.started.on(() => this.review?.ask(true)),
      view.review.wanted.on((ply) => this.#goInGame(ply)),
      view.review.learn.on((seat) => this.#learn(seat)),
      view.learn.pressed.on((action) => this.#answer(action)),
      () => document.removeEventListener("keydown", keys),
      () => removeEventListener("hashchange", hash),
      () => clearTimeout(this.#saving),
      () => this.engine.dispose(),
      () => this.review?.dispose(),
      () => view.dispose(),
    );
    view.tree.judged = (node) => this.#judged(node);
  }

  /** Leave the page. */
  dispose() {
    this.#gone = true;
    this.#endings.forEach((end) => end());
  }

  get title() {
    return this.game ? gameTitle(this.game, this.seat) : t("analysis.title");
  }

  get site() {
    return this.played ? this.session.catalogue.title(this.played.game) : null;
  }

  get subject() {
    return this.played?.game ?? null;
  }

  get seat() {
    return this.game ? seatOf(this.game, this.session.you) : null;
  }

  // ---- what is analysed ------------------------------------------------------------------------

  async #open() {
    const { played, tree } = readAddress(location.hash);
    if (this.id !== null) {
      await this.#openGame(this.id, tree);
    } else {
      await this.#openBoard(played ?? USUAL, tree ?? new Tree());
    }
  }

  /**
   * @param {string} id
   * @param {Tree | null} tree
   */
  async #openGame(id, tree) {
    if (!this.session.connection.online) {
      return; // `welcomed` opens it
    }
    try {
      const { game } = await this.session.connection.request("game.state", { game_id: id });
      if (game.state === "playing") {
        const link = { href: `/game/${id}`, words: t("analysis.to_game") };
        this.view.showNothing(t("analysis.still_played"), link);
        return;
      }
      this.game = game;
      this.review ??= new Review(this.session, id);
      this.#endings.push(this.review.changed.on(() => this.#draw()));
      const whole = Tree.ofGame(game.turns.map(({ turn }) => turn));
      const { game: name, board, rules, options } = game.setup;
      await this.#openBoard({ game: name, board, rules, options }, tree ?? atEnd(whole));
    } catch (error) {
      this.view.showNothing(messageOf(error), null);
    }
  }

  /**
   * @param {Played} played
   * @param {Tree} tree
   */
  async #openBoard(played, tree) {
    this.played = played;
    this.tree = tree;
    this.#positions = new Positions(this.session, played);
    this.#endings.push(
      this.#positions.changed.on(() => this.#settle()),
      this.#positions.refused.on((why) => this.#refused(why)),
    );
    try {
      const [raw, texts] = await Promise.all([
        fetchBoard(played.game, played.board ?? USUAL.board ?? ""),
        gameTexts(played.game),
      ]);
      if (this.#gone || this.played !== played) {
        return;
      }
      this.input.draft.kinds = raw.kinds;
      const board = this.view.build(raw, texts);
      const choose = (/** @type {string} */ cell) => this.input.choose(cell);
      board.chosen.on(choose);
      new BoardCursor(board, { choose, undo: () => this.input.undo() });
      this.#showFacts(played);
      this.#settle();
    } catch {
      this.view.showNothing(t("analysis.no_board"), null);
    }
  }

  /** @param {Played} played */
  #showFacts({ game, board }) {
    const title = `${this.session.catalogue.title(game)}, ${boardTitle(board ?? "")}`;
    const players = this.game?.players.map(({ name }) => name).join(" – ");
    const link = this.id &&
      h("a", { href: `/game/${this.id}`, "data-link": true }, t("analysis.to_game"));
    replace(this.view.facts, players ? `${players} · ` : null, title, link ? " · " : null, link);
    this.session.titleChanged.emit();
  }

  async #chooseBoard() {
    const chosen = await chooseSetup(this.session, this.played);
    if (chosen) {
      this.#leaveGame();
      history.pushState(null, "", `/analysis${hashOf(chosen, null)}`);
      await this.#openBoard(chosen, new Tree());
    }
  }

  #leaveGame() {
    this.review?.dispose();
    this.id =
      this.game =
      this.review =
      this.learning =
        null;
    this.view.review.element.hidden = true;
  }

  /** Another address with a tree was pasted. */
  #readHash() {
    const { played, tree } = readAddress(location.hash);
    if (tree && tree.text !== this.tree.text) {
      if (played && this.id === null) {
        this.#openBoard(played, tree);
      } else {
        this.tree = tree;
        this.#settle();
      }
    }
  }

  /** Write the tree into the address a moment later: a browser limits how often. */
  #save() {
    clearTimeout(this.#saving);
    this.#saving = setTimeout(() => {
      const isPlain = this.game !== null && this.#isGame;
      const tree = isPlain || this.tree.root.children.length === 0 ? null : this.tree;
      const hash = hashOf(this.id === null ? this.played : null, tree);
      if (hash !== location.hash) {
        history.replaceState(null, "", `${location.pathname}${hash}`);
      }
    }, ADDRESS_DELAY_MS);
  }

  /** Whether the tree is the game without variations, at its end. */
  get #isGame() {
    const turns = this.game?.turns.map(({ turn }) => turn) ?? [];
    return this.tree.text === atEnd(Tree.ofGame(turns)).text;
  }

  // ---- moving in the tree ----------------------------------------------------------------------

  /** @param {Node | null | undefined} node */
  go(node) {
    if (node && node !== this.tree.current) {
      this.tree.current = node;
      this.#imagined = null;
      this.#settle();
    }
  }

  /** The node `step` turns further on the shown line. @param {number} ply */
  #goTo(ply) {
    const path = [...pathTo(this.tree.current)];
    for (let next = path.at(-1)?.children[0]; next; next = next.children[0]) {
      path.push(next);
    }
    this.go(path[Math.max(0, Math.min(ply, path.length - 1))]);
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
    this.#settle();
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
    this.#draw();
  }

  /**
   * @param {string[]} chosen
   * @param {string} [about]
   */
  async #askLegal(chosen, about) {
    const turns = turnsTo(this.tree.current);
    const asked = { setup: this.played ?? USUAL, turns, chosen, ...(about ? { about } : {}) };
    return (await this.session.connection.request("analysis.legal", asked)).legal;
  }

  // ---- learning --------------------------------------------------------------------------------

  /** @param {Seat} seat */
  #learn(seat) {
    const turns = this.game?.turns.map(({ turn }) => turn) ?? [];
    const mistakes = this.review?.mistakes(seat) ?? [];
    this.learning = new Learning(this.session, this.played ?? USUAL, turns, mistakes);
    this.learning.changed.on(() => this.#judge());
    this.#goInGame(this.learning.before.length);
    this.#settle();
    this.view.learn.element.scrollIntoView({ block: "nearest" });
  }

  /** @param {"show" | "next" | "leave"} action */
  #answer(action) {
    const { learning } = this;
    if (action === "leave") {
      this.learning = null;
      this.#settle();
    } else if (action === "show") {
      learning?.show();
    } else if (learning) {
      learning.next();
      learning.mistake && this.#goInGame(learning.before.length);
      this.#settle();
    }
  }

  /** The puzzle has another state: show the engine's choice, or let the person try again. */
  #judge() {
    const { learning } = this;
    if (learning?.stage === "shown" && learning.mistake) {
      this.#imagined = { line: [learning.mistake.best], ply: learning.mistake.ply };
    }
    this.#settle();
  }

  // ---- showing ---------------------------------------------------------------------------------

  /** Show the current node, as soon as its position is known. */
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
    this.engine.look(position && !position.over && !isPuzzle ? turns : null);
    this.view.openings.element.hidden = isPuzzle;
    if (position && this.played && !isPuzzle) {
      this.view.openings.show(this.played, turns);
    }
    this.#save();
    this.#draw();
  }

  /** @param {string} why */
  #refused(why) {
    this.#problem = why;
    this.#draw();
  }

  #draw() {
    const { tree, view, game, review } = this;
    const shown = this.#shown && this.#positions?.after(turnsTo(this.#shown));
    view.tree.update(tree);
    view.bar.update(shown ?? null, this.#problem);
    if (game && review) {
      view.review.update(review, game, this.#plyInGame, this.seat);
    }
    view.learn.update(this.learning);
    view.lines.element.hidden = this.learning !== null && this.learning.mistake !== null;
    if (shown && this.#shown) {
      view.lines.update(shown.ply, shown.over);
      const imagined = this.#imagined ?? this.#best(shown.ply);
      const looked = { position: shown, live: true, seat: shown.to_play, imagined };
      view.showBoard(shown, pictureOf(looked, this.input));
      view.board?.accuse(this.input.complaint?.cell ?? null);
    }
  }

  /**
   * The engine's choice, shown on the board until the person chooses a stone.
   * @param {number} ply
   * @returns {Imagined | null}
   */
  #best(ply) {
    const turn = this.engine.state?.lines[0]?.turn;
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
    if (!this.review || node.turn !== this.game?.turns[node.ply - 1]?.turn) {
      return null;
    }
    const turns = turnsTo(node);
    const isOfGame = turns.every((turn, ply) => this.game?.turns[ply]?.turn === turn);
    return isOfGame ? this.review.turn(node.ply - 1) : null;
  }
}

/** @param {Tree} tree */
function atEnd(tree) {
  tree.current = tree.end(tree.root);
  return tree;
}
