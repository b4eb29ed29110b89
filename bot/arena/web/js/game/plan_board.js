/** A board on which conditional turns are stepped: the opponent's turn, then the person's answer. */

import { BoardCursor } from "../board/cursor.js";
import { placeBoard } from "../board/placed.js";
import { h, replace } from "../shared/dom.js";
import { moverOf } from "../shared/games.js";
import { t } from "../shared/messages.js";
import { sideTitle } from "../shared/sentences.js";
import { PlayBar } from "./free_play_bar.js";
import { pictureOf } from "./picture.js";
import { isAnswer, isTheirs, MOST_LINES, MOST_TURNS } from "./plan_tree.js";
import { ReplayControls } from "./replay_controls.js";
import { scoreOf, ScoresView, scoringOf } from "./scores_view.js";
import { pressTreeKey } from "./tree_keys.js";
import { TurnInput } from "./turn_input.js";
import { turnParts } from "./turn_parts.js";
import { pathTo, turnsTo } from "./turn_tree.js";

/** @import { LocalRules } from "../engine/local_rules.js" */
/** @import { GameTexts } from "../rules/texts.js" */
/** @import { RawBoard } from "../shared/api.js" */
/** @import { GameSetup, PositionView, Seat } from "../shared/wire.d.ts" */
/** @import { PlanTree } from "./plan_tree.js" */
/** @import { Node } from "./turn_tree.js" */

/**
 * The game that is planned.
 * @typedef {object} Planned
 * @property {LocalRules} rules that are loaded
 * @property {GameSetup} setup
 * @property {string[]} turns so far
 */

/** @type {Seat[]} */
const SEATS = [1, 2];

export class PlanBoard {
  /** The node that is drawn. @type {Node | null} */
  #drawn = null;

  /**
   * @param {Planned} game
   * @param {PlanTree} plan
   * @param {RawBoard} raw
   * @param {GameTexts} texts
   * @param {{threats: boolean, bare: boolean}} shown `bare`: no help
   */
  constructor(game, plan, raw, texts, { threats, bare }) {
    this.game = game;
    this.bare = bare;
    this.plan = plan;
    this.input = new TurnInput(
      {
        ready: () => game.rules.ready,
        locate: () => this.#here,
        legal: () => Promise.reject(new Error("The rules are in the page.")),
        play: ({ turn }) => Promise.resolve(this.#play(turn)),
      },
      () => false,
    );
    this.input.draft.kinds = raw.kinds;
    this.input.draft.most = texts.stonesATurn(game.setup);
    this.scoring = scoringOf(game.setup, raw, texts);
    this.scores = SEATS.map((seat) => new ScoresView(seat));
    this.lines = h("ul", { class: "plan-lines", "aria-label": t("plan.title") });
    this.controls = new ReplayControls(this.lines);
    const words = (/** @type {PositionView} */ position) => this.#words(position);
    this.bar = new PlayBar(this.input, { asks: () => false, words });
    const place = h("div", { class: "board-place" });
    const { board, panZoom } = placeBoard(place, raw, texts);
    this.board = board;
    this.panZoom = panZoom;
    board.named = true; // the lines name cells
    board.rows.showsThreats = threats && !bare;
    const sides = this.scores.map(({ seat, element }) =>
      h("div", { class: "plan-side" }, h("strong", {}, sideTitle(seat, raw.kinds)), element)
    );
    this.element = h(
      "div",
      { class: "plan-board" },
      h("div", { class: "plan-sides" }, sides),
      place,
      this.controls.element,
      this.bar.element,
      this.lines,
    );
    this.#listen();
    this.#settle();
  }

  #listen() {
    const { board, input } = this;
    const choose = (/** @type {string} */ cell) => input.choose(cell);
    board.chosen.on(choose);
    new BoardCursor(board, { choose, undo: () => this.#undo() });
    input.changed.on(() => this.#draw());
    this.scores.forEach(({ pointed }) => pointed.on((group) => board.highlight(group)));
    this.controls.wanted.on((ply) => this.#go(this.plan.tree.at(ply)));
    this.element.addEventListener("keydown", (event) => {
      const { tree } = this.plan;
      pressTreeKey(event, { tree, input, go: (node) => this.#go(node) });
    });
  }

  /** The shown position. */
  get #here() {
    const { rules, turns } = this.game;
    return rules.after([...turns, ...turnsTo(this.plan.tree.current)]);
  }

  /** Take the last stone back; Escape closes the window if there is none, as elsewhere in it. */
  #undo() {
    if (this.input.draft.stones.length > 0) {
      this.input.undo();
    } else {
      this.element.closest("dialog")?.close("");
    }
  }

  /** @param {Node | null | undefined} node */
  #go(node) {
    if (node && node !== this.plan.tree.current) {
      this.plan.tree.current = node;
      this.#settle();
    }
  }

  /** @param {string} turn */
  #play(turn) {
    const hasRoom = this.plan.play(turn);
    this.#settle();
    hasRoom || this.input.refuse(t("plan.most_lines", { n: MOST_LINES }));
  }

  /** @param {Node} end */
  #remove(end) {
    this.plan.remove(end);
    this.#settle();
  }

  /** Let the person choose a turn in the shown position. */
  #settle() {
    const { game, input, plan } = this;
    input.end();
    if (!this.#here?.over && !plan.isLongest) {
      input.begin(game.turns.length + plan.tree.current.ply);
    }
    this.#draw();
  }

  #draw() {
    const { board, controls, input, panZoom } = this;
    const { tree } = this.plan;
    const position = this.#here?.view();
    if (!position) {
      return;
    }
    this.bar.update(position, "");
    const { bare } = this;
    const looked = { position, live: true, seat: position.to_play, imagined: null, bare };
    board.show(pictureOf(looked, input));
    board.accuse(input.complaint?.cell ?? null);
    const isNew = this.#drawn !== tree.current;
    this.#drawn = tree.current;
    panZoom?.follow(Object.keys(position.stones), position.last, isNew);
    controls.update(tree.current.ply, tree.end().ply);
    const { stones, scores } = input.drafted ?? position;
    const groups = board.geometry.groups(stones);
    for (const view of this.scores) {
      view.update(scoreOf(view.seat, scores, groups), this.scoring, bare);
    }
    replace(this.lines, ...this.plan.ends.map((end) => this.#line(end)));
  }

  /** @param {PositionView} position */
  #words({ to_play: seat }) {
    if (this.plan.isLongest) {
      return t("plan.most_turns", { n: MOST_TURNS });
    }
    const side = sideTitle(seat, this.input.draft.kinds);
    return t(isTheirs(this.plan.tree.current) ? "plan.step_theirs" : "plan.step_mine", { side });
  }

  /** @param {Node} end of a line */
  #line(end) {
    const turns = pathTo(end).slice(1).flatMap((node) => [this.#turn(node, end), " → "]);
    return h(
      "li",
      {},
      h(
        "span",
        {},
        isAnswer(end) ? turns.slice(0, -1) : turns,
        isAnswer(end) ? null : h("span", { class: "quiet" }, t("plan.no_answer")),
      ),
      h(
        "button",
        {
          type: "button",
          class: "icon",
          "aria-label": t("plan.remove"),
          "data-key": `remove-${end.id}`,
          onclick: () => this.#remove(end),
        },
        "×",
      ),
    );
  }

  /**
   * @param {Node} node
   * @param {Node} end
   */
  #turn(node, end) {
    const ply = this.game.turns.length + node.ply;
    return h(
      "button",
      {
        type: "button",
        class: "turn",
        "data-key": `turn-${node.id}-${end.id}`,
        "aria-current": node === this.plan.tree.current ? "true" : null,
        onclick: () => this.#go(node),
      },
      turnParts(node.turn, moverOf(ply - 1), this.input.draft.kinds),
    );
  }
}
