/** The page of the opening explorer: a board from the start of a game, and what was played. */

import { boardOf } from "../board/board.js";
import { commonShading, SmallBoard } from "../board/small.js";
import { ReplayControls } from "../game/replay_controls.js";
import { fetchPosition, positionQuery } from "../records/requests.js";
import { gameTexts } from "../rules/texts.js";
import { fetchBoard } from "../shared/api.js";
import { hiddenUntilReady } from "../shared/arrival.js";
import { messageOf } from "../shared/dialogs.js";
import { h, replace } from "../shared/dom.js";
import { nodes, t } from "../shared/messages.js";
import { boardTitle } from "../shared/sentences.js";
import { addressOf } from "../shared/site.js";
import { PASS, placementsOf } from "../shared/steps.js";
import { OpeningsPanel } from "./panel.js";

/** @import { Session } from "../shared/session.js" */
/** @import { PositionView } from "../shared/wire.d.ts" */

const MOST_TURNS = 60;

export class OpeningsPage {
  /** @type {null} */
  site = null;
  title = t("openings.title");
  /** @type {(() => void)[]} */
  #endings = [];
  /** @type {SmallBoard | null} */
  #board = null;
  #drawnBoard = "";
  /** @type {PositionView | null} */
  #position = null;
  /** How many turns are shown; the others can be stepped to. */
  #ply = 0;
  /** Positions are asked for one after the other: a later one overtakes. */
  #asked = 0;

  /**
   * @param {Session} session
   * @param {string} game
   */
  constructor(session, game) {
    this.session = session;
    this.subject = game;
    const query = new URLSearchParams(location.search);
    this.turns = (query.get("turns") ?? "").split(/\s+/).filter(Boolean).slice(0, MOST_TURNS);
    this.#ply = this.turns.length;
    this.board = query.get("board");
    this.games = h("nav", { class: "buttons opening-games", "aria-label": t("openings.game") });
    this.boards = h("select", { "aria-label": t("openings.board") });
    this.boards.addEventListener("change", () => this.#choose(this.boards.value));
    this.place = h("div", { class: "opening-board" });
    this.words = h("p", { class: "quiet", role: "status" });
    this.line = h("p", { class: "opening-line" });
    this.panel = new OpeningsPanel();
    this.controls = new ReplayControls(this.line);
    this.controls.wanted.on((ply) => this.#go(ply));
    this.element = h(
      "main",
      { class: "openings-page", id: "page", tabindex: -1 },
      h("header", { class: "records-head" }, h("h1", {}, this.title), this.games, this.boards),
      h(
        "div",
        { class: "opening-columns" },
        h("div", {}, commonShading(), this.place, this.line, this.controls.element, this.words),
        this.panel.element,
      ),
    );
    this.reveal = hiddenUntilReady(this.element);
    this.panel.chosen.on((turn) => this.#play(turn));
    this.panel.pointed.on((turn) => this.#imagine(turn));
    this.#endings.push(session.catalogue.loaded.on(() => this.#show()));
    this.#show();
  }

  dispose() {
    this.#endings.forEach((end) => end());
  }

  get #offer() {
    return this.session.catalogue.offers.games.find(({ game }) => game === this.subject);
  }

  get #played() {
    return { game: this.subject, board: this.board ?? this.#offer?.boards[0] ?? "" };
  }

  get #shown() {
    return this.turns.slice(0, this.#ply);
  }

  async #show() {
    const offer = this.#offer;
    if (!offer) {
      const isLoaded = this.session.catalogue.offers.games.length > 0;
      this.words.textContent = t(isLoaded ? "openings.no_game" : "openings.loading");
      return;
    }
    const { games } = this.session.catalogue.offers;
    replace(
      this.games,
      games.map(({ game, title }) =>
        h(
          "a",
          {
            class: "button",
            href: `/openings/${game}`,
            "data-link": true,
            "aria-current": game === this.subject ? "page" : null,
          },
          title,
        )
      ),
    );
    const names = new Set([...offer.boards, this.board ?? offer.boards[0] ?? ""]);
    replace(this.boards, [...names].map((name) => h("option", { value: name }, boardTitle(name))));
    this.boards.value = this.board ?? offer.boards[0] ?? "";
    this.boards.hidden = names.size < 2;
    this.panel.kinds = offer.kinds;
    await this.#draw();
  }

  async #draw() {
    const asked = ++this.#asked;
    const { game, board } = this.#played;
    this.controls.update(this.#ply, this.turns.length);
    this.#showLine();
    const listed = this.panel.show(this.#played, this.#shown);
    try {
      const [raw, texts, position] = await Promise.all([
        fetchBoard(game, board),
        gameTexts(game),
        fetchPosition(positionQuery(this.#played, this.#shown)),
      ]);
      if (asked !== this.#asked) {
        return;
      }
      if (this.#drawnBoard !== board) {
        this.#drawnBoard = board;
        this.#board = new SmallBoard(boardOf(raw, texts.rows?.reach));
        replace(this.place, this.#board.element);
      }
      this.#position = position;
      this.#board?.show(position);
      this.words.textContent = "";
    } catch (error) {
      this.words.textContent = t("openings.failed", { why: messageOf(error) });
    }
    await listed;
    this.reveal();
  }

  #showLine() {
    const ply = this.#ply;
    const turns = this.#shown.map((turn, index) => `${index + 1}. ${turn}`).join("  ");
    const analysis = h(
      "a",
      { href: `/games?game=${this.subject}`, "data-link": true },
      t("openings.search_game"),
    );
    replace(
      this.line,
      ply === 0 ? t("openings.at_start") : turns,
      " ",
      ...nodes("openings.line_end", { link: analysis }),
    );
  }

  /** @param {string} board */
  #choose(board) {
    this.board = board;
    this.turns = [];
    this.#go(0);
  }

  /** @param {string} turn */
  #play(turn) {
    this.turns = [...this.#shown, turn];
    this.#go(this.turns.length);
  }

  /** @param {number} ply */
  #go(ply) {
    this.#ply = Math.max(0, Math.min(ply, this.turns.length));
    const query = positionQuery(this.#played, this.#shown);
    query.delete("game");
    history.replaceState(null, "", addressOf(`/openings/${this.subject}?${query}`));
    this.#draw();
  }

  /**
   * Show a turn that could be played, without its captures.
   * @param {string | null} turn
   */
  #imagine(turn) {
    const position = this.#position;
    if (!position || !this.#board || position.ply !== this.#ply) {
      return;
    }
    if (turn === null || turn === PASS) {
      this.#board.show(position);
      return;
    }
    const placed = placementsOf(turn, this.panel.kinds);
    const stones = { ...position.stones };
    for (const { cell, kind } of placed) {
      stones[cell] = [position.to_play, kind];
    }
    this.#board.show({ ...position, stones, last: placed.map(({ cell }) => cell) });
  }
}
