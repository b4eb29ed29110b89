/** The analysis page: a finished game, or a board without one, and the address of what is shown. */

import { Review } from "../game/review.js";
import { isLocal } from "../shared/device_games.js";
import { messageOf } from "../shared/dialogs.js";
import { h, replace } from "../shared/dom.js";
import { t } from "../shared/messages.js";
import { boardTitle, gameTitle } from "../shared/sentences.js";
import { addressOf } from "../shared/site.js";
import { hashOf, readAddress, USUAL } from "../game/tree_address.js";
import { pressAnalysisKey } from "./keys.js";
import { openRecord } from "./record_dialog.js";
import { chooseSetup } from "./setup_dialog.js";
import { Tree } from "../game/turn_tree.js";
import { TreeBoard } from "./tree_board.js";

/** @import { PositionPanel } from "../shared/areas.js" */
/** @import { Session } from "../shared/session.js" */
/** @import { Played } from "../game/tree_address.js" */

const ADDRESS_DELAY_MS = 300;

export class AnalysisPage {
  /** @type {(() => void)[]} */
  #endings = [];
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #saving;

  /**
   * @param {Session} session
   * @param {string | null} id of a finished game
   * @param {PositionPanel[]} panels of other capabilities
   */
  constructor(session, id, panels) {
    this.session = session;
    this.id = id;
    const other = { choose: () => this.#chooseBoard(), open: () => this.#openRecord() };
    this.board = new TreeBoard(session, other, panels);
    this.element = this.board.view.element;
    this.#listen();
    this.#open();
  }

  #listen() {
    const { session, board } = this;
    const keys = (/** @type {KeyboardEvent} */ event) => pressAnalysisKey(event, board);
    const hash = () => this.#readHash();
    document.addEventListener("keydown", keys);
    addEventListener("hashchange", hash);
    this.#endings.push(
      board.changed.on(() => this.#save()),
      session.catalogue.loaded.on(() => board.isOpen && this.#showFacts()),
      session.connection.welcomed.on(() => (board.isOpen ? board.settle() : this.#open())),
      () => document.removeEventListener("keydown", keys),
      () => removeEventListener("hashchange", hash),
      () => clearTimeout(this.#saving),
      () => board.review?.dispose(),
      () => board.dispose(),
    );
  }

  /** Leave the page. */
  dispose() {
    this.#endings.forEach((end) => end());
  }

  get title() {
    const { game, seat } = this.board;
    return game ? gameTitle(game, seat) : t("analysis.title");
  }

  get site() {
    const { played } = this.board;
    return played ? this.session.catalogue.title(played.game) : null;
  }

  get subject() {
    return this.board.played?.game ?? null;
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
    if (!this.session.connection.online && !isLocal(id)) {
      return; // `welcomed` opens it
    }
    try {
      const { game } = await this.session.connection.request("game.state", { game_id: id });
      if (game.state === "playing") {
        const link = { href: `/game/${id}`, words: t("analysis.to_game") };
        this.board.view.showNothing(t("analysis.still_played"), link);
        return;
      }
      this.board.game = game;
      this.board.review ??= new Review(this.session, id);
      this.#endings.push(this.board.review.changed.on(() => this.board.draw()));
      const whole = Tree.atEnd(game.turns.map(({ turn }) => turn));
      const { game: name, board, rules, options } = game.setup;
      await this.#openBoard({ game: name, board, rules, options }, tree ?? whole);
    } catch (error) {
      this.board.view.showNothing(messageOf(error), null);
    }
  }

  /**
   * @param {Played} played
   * @param {Tree} tree
   */
  async #openBoard(played, tree) {
    if (await this.board.open(played, tree)) {
      this.#showFacts();
    }
  }

  #showFacts() {
    const { facts } = this.board.view;
    const { game, board } = this.board.played ?? USUAL;
    const title = `${this.session.catalogue.title(game)}, ${boardTitle(board ?? "")}`;
    const players = this.board.game?.players.map(({ name }) => name).join(" – ");
    const link = this.id &&
      h("a", { href: `/game/${this.id}`, "data-link": true }, t("analysis.to_game"));
    replace(facts, players ? `${players} · ` : null, title, link ? " · " : null, link);
    this.session.titleChanged.emit();
  }

  async #chooseBoard() {
    const chosen = await chooseSetup(this.session, this.board.played);
    if (chosen) {
      await this.#leaveFor(chosen, new Tree());
    }
  }

  async #openRecord() {
    const found = await openRecord(this.session.catalogue);
    if (found) {
      await this.#leaveFor(found.played, found.tree);
    }
  }

  /**
   * @param {Played} played
   * @param {Tree} tree
   */
  async #leaveFor(played, tree) {
    this.id = null;
    this.board.leaveGame();
    history.pushState(null, "", addressOf(`/analysis${hashOf(played, null)}`));
    await this.#openBoard(played, tree);
  }

  /** Another address with a tree was pasted. */
  #readHash() {
    const { played, tree } = readAddress(location.hash);
    if (tree && tree.text !== this.board.tree.text) {
      if (played && this.id === null) {
        this.#openBoard(played, tree);
      } else {
        this.board.tree = tree;
        this.board.settle();
      }
    }
  }

  /** Write the tree into the address a moment later: a browser limits how often. */
  #save() {
    clearTimeout(this.#saving);
    this.#saving = setTimeout(() => {
      const { played, game, isGame, tree } = this.board;
      const isPlain = game !== null && isGame;
      const shown = isPlain || tree.root.children.length === 0 ? null : tree;
      const hash = hashOf(this.id === null ? played : null, shown);
      if (hash !== location.hash) {
        history.replaceState(null, "", `${location.pathname}${hash}`);
      }
    }, ADDRESS_DELAY_MS);
  }
}
