/** The bots' opinion of a game: a bar, a graph over the turns, and the line they expect. */

import { h, replace, svg } from "./dom.js";
import { opinionAt, opinions } from "./evaluation.js";
import { moverOf } from "./games.js";
import { percent, sideTitle } from "./sentences.js";
import { Signal } from "./signal.js";
import { turnParts } from "./turn_parts.js";

/** @typedef {import("./evaluation.js").Opinion} Opinion */
/** @typedef {import("./protocol.js").GameState} GameState */

const HEIGHT = 60;
const WIDTH = 300;

export class EvaluationView {
  /** @type {Signal<{line: string[], ply: number} | null>} a line to imagine on the board */
  imagined = new Signal();
  /** @type {Signal<number>} a ply to look at */
  wanted = new Signal();
  /** How many kinds of stones a player owns. */
  kinds = 1;
  #line = "";

  constructor() {
    this.summary = h("div", { class: "evaluation-summary" });
    this.bar = h("div", { class: "evaluation-bar" }, h("div", { class: "evaluation-black" }));
    this.graph = svg("svg", {
      class: "evaluation-graph",
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": "The first player’s chance to win over the turns of the game",
      onclick: (/** @type {MouseEvent} */ event) => this.#click(event),
    });
    this.line = h("div", { class: "evaluation-line" });
    this.element = h(
      "section",
      { class: "panel evaluation", "aria-label": "Evaluation" },
      h("h2", {}, "Evaluation"),
      this.summary,
      this.bar,
      this.graph,
      this.line,
    );
    this.plies = 1;
  }

  /**
   * @param {GameState} game
   * @param {number} ply the ply that is looked at
   */
  update(game, ply) {
    const all = opinions(game.turns);
    this.element.hidden = all.length === 0;
    this.plies = Math.max(1, game.turns.length);
    const opinion = opinionAt(all, ply);
    replace(this.summary, ...this.#summary(game, opinion));
    const black = opinion?.black ?? 0.5;
    this.bar.style.setProperty("--black", `${(black * 100).toFixed(1)}%`);
    replace(this.graph, ...this.#drawing(all, ply));
    // A chip must not be exchanged while somebody points at it.
    const line = JSON.stringify(opinion);
    if (line !== this.#line) {
      this.#line = line;
      replace(this.line, ...this.#expected(opinion));
    }
  }

  /**
   * @param {Opinion[]} all
   * @param {number} ply
   */
  #drawing(all, ply) {
    const x = (/** @type {number} */ at) => ((at / this.plies) * WIDTH).toFixed(1);
    const y = (/** @type {number} */ black) => ((1 - black) * HEIGHT).toFixed(1);
    const seats = [...new Set(all.map((opinion) => opinion.seat))].sort();
    const curves = seats.map((seat, index) => {
      const said = all.filter((opinion) => opinion.seat === seat);
      const points = said.map(({ ply: at, black }) => `${x(at)},${y(black)}`).join(" ");
      return svg("polyline", { class: index === 0 ? "curve" : "curve second", points });
    });
    return [
      svg("line", { class: "even", x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2 }),
      svg("line", { class: "now", x1: x(ply), x2: x(ply), y1: 0, y2: HEIGHT }),
      ...curves,
    ];
  }

  /** @param {Opinion | null} opinion */
  #expected(opinion) {
    if (!opinion || opinion.line.length === 0) {
      return [];
    }
    const chips = opinion.line.slice(0, 6).map((turn, index) => {
      const line = opinion.line.slice(0, index + 1);
      const show = () => this.imagined.emit({ line, ply: opinion.ply });
      const hide = () => this.imagined.emit(null);
      return h(
        "button",
        {
          type: "button",
          class: "turn-chip",
          "data-key": `line-${index}`,
          onpointerenter: show,
          onpointerleave: hide,
          onfocus: show,
          onblur: hide,
          onclick: show,
        },
        turnParts(turn, moverOf(opinion.ply + index), this.kinds),
      );
    });
    return [h("span", { class: "label" }, "Expects"), ...chips];
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const { left, width } = this.graph.getBoundingClientRect();
    this.wanted.emit(Math.round(((event.clientX - left) / width) * this.plies));
  }

  /**
   * @param {GameState} game
   * @param {Opinion | null} opinion
   */
  #summary(game, opinion) {
    if (!opinion) {
      return ["No opinion yet."];
    }
    const leader = opinion.black >= 0.5 ? 1 : 2;
    const chance = leader === 1 ? opinion.black : 1 - opinion.black;
    const visits = opinion.visits ? ` · ${opinion.visits.toLocaleString("en")} visits` : "";
    return [
      `${game.players[opinion.seat - 1]?.name} gives ${sideTitle(leader, this.kinds)} `,
      h("strong", {}, percent(chance)),
      h("div", { class: "quiet" }, `Turn ${opinion.ply}${visits}`),
    ];
  }
}
