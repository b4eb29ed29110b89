/** The panel beside a puzzle: the task, the verdict, the rating, and what comes next. */

import { hashOf } from "../game/tree_address.js";
import { Tree } from "../game/turn_tree.js";
import { ScoresView } from "../game/scores_view.js";
import { turnParts } from "../game/turn_parts.js";
import { h, replace } from "../shared/dom.js";
import { language, nodes, t } from "../shared/messages.js";
import { percent, sideTitle } from "../shared/sentences.js";
import { Signal } from "../shared/signal.js";

/** @import { Child } from "../shared/dom.js" */
/** @import { Scoring } from "../game/scores_view.js" */
/** @import { GameTexts } from "../rules/texts.js" */
/** @import { PositionView, PuzzleSolution, PuzzleStanding, PuzzleView, Seat } from "../shared/wire.d.ts" */
/** @import { Solving } from "./solving.js" */

/** Other right answers that the analysis board gets; a stone that wins alone has hundreds. */
const MOST_ANSWERS = 8;

export class PuzzlePanel {
  /** @type {Signal<"show" | "next">} */
  pressed = new Signal();

  /**
   * @param {string} title
   * @param {string} game
   * @param {GameTexts} texts of the game
   * @param {Scoring} scoring
   */
  constructor(title, game, texts, scoring) {
    this.scoring = scoring;
    this.heading = h("h1", {}, title);
    const rules = h("a", { href: `/rules/${game}`, "data-link": true }, t("puzzles.rules"));
    this.aim = h("p", { class: "quiet" }, texts.aim(scoring.goal), " ", rules);
    /** How many stones each player has captured, where captures win. @type {ScoresView[]} */
    this.scores = scoring.score === "captures" ? [new ScoresView(1), new ScoresView(2)] : [];
    this.captures = h("dl", { class: "puzzle-captures" });
    this.task = h("p", { class: "puzzle-task" });
    this.verdict = h("p", { class: "puzzle-verdict", role: "status", "aria-live": "polite" });
    this.facts = h("ul", { class: "puzzle-facts" });
    this.buttons = h("div", { class: "buttons" });
    this.standing = h("p", { class: "puzzle-standing" });
    this.element = h(
      "aside",
      { class: "panel puzzle-panel", "aria-label": title },
      this.heading,
      this.aim,
      this.task,
      this.captures,
      this.verdict,
      this.buttons,
      this.standing,
      this.facts,
    );
  }

  /**
   * @param {Solving} solving
   * @param {number} kinds of stones that a player owns
   */
  update(solving, kinds) {
    const { puzzle, standing, position } = solving;
    if (position) {
      this.#showCaptures(position, kinds);
    }
    this.element.dataset["stage"] = solving.stage;
    replace(this.task, ...task(solving, kinds));
    replace(this.verdict, ...verdict(solving, kinds));
    replace(this.buttons, ...this.#choices(solving));
    replace(this.standing, ...standingWords(standing, solving.change));
    replace(
      this.facts,
      h("li", {}, t("puzzles.puzzle_rating", { rating: puzzle.rating })),
      puzzle.tried > 0 && h("li", {}, t("puzzles.tried_by", { n: puzzle.tried })),
      standing.tried > 0 &&
        h("li", {}, t("puzzles.solved_of", { solved: standing.solved, tried: standing.tried })),
      h("li", {}, t("puzzles.left", { n: standing.left })),
      solving.solution && h("li", {}, themeWords(solving.solution.themes)),
      h("li", {}, link(`/puzzle/${puzzle.puzzle_id}`, t("puzzles.link"))),
      h("li", {}, link("/puzzles", t("puzzles.all"))),
    );
  }

  /**
   * @param {PositionView} position
   * @param {number} kinds
   */
  #showCaptures({ scores: [one, two] }, kinds) {
    for (const view of this.scores) {
      const [mine, theirs] = view.seat === 1 ? [one, two] : [two, one];
      view.update({ mine, theirs, groups: [] }, this.scoring);
    }
    if (this.captures.childElementCount < this.scores.length) {
      const rows = this.scores.map(({ seat, element }) =>
        h("div", {}, h("dt", {}, sideTitle(seat, kinds)), h("dd", {}, element))
      );
      replace(this.captures, ...rows);
    }
  }

  /**
   * @param {Solving} solving
   * @returns {Child[]}
   */
  #choices({ puzzle, rules, stage, solution, isOver }) {
    const button = (
      /** @type {"show" | "next"} */ action,
      /** @type {string} */ label,
      /** @type {string} */ style,
    ) => {
      const onclick = () => this.pressed.emit(action);
      const attributes = { type: "button", class: style, "data-key": action, onclick };
      return h("button", { ...attributes, "data-needs-connection": true }, label);
    };
    const tree = analysisTree(puzzle, solution);
    return [
      isOver && button("next", t("puzzles.next"), "primary"),
      isOver && link(`/analysis${hashOf(rules.setup, tree)}`, t("puzzles.analyse"), "button"),
      !isOver && stage !== "judging" && button("show", t("puzzles.show"), ""),
    ];
  }
}

/**
 * The game of a puzzle with the position to solve shown, and then the right answers.
 * @param {PuzzleView} puzzle
 * @param {PuzzleSolution | null} solution
 */
function analysisTree(puzzle, solution) {
  const tree = Tree.atEnd(puzzle.turns);
  if (solution) {
    let node = tree.current;
    for (const turn of [solution.turn, ...solution.line]) {
      node = tree.add(node, turn) ?? node;
    }
    solution.answers.slice(0, MOST_ANSWERS).forEach((turn) => tree.add(tree.current, turn));
  }
  return tree;
}

/**
 * @param {Solving} solving
 * @param {number} kinds
 * @returns {Child[]}
 */
function task({ puzzle }, kinds) {
  const { solver, turns } = puzzle;
  const opponent = other(solver);
  const mistake = turns.at(-1) ?? "";
  return [
    h("strong", {}, t("puzzles.task", { side: sideTitle(solver, kinds) })),
    " ",
    ...nodes(kinds > 1 ? "puzzles.mistake_two" : "puzzles.mistake", {
      opponent: sideTitle(opponent, kinds),
      turn: turnName(mistake, opponent, kinds),
    }),
  ];
}

/**
 * @param {Solving} solving
 * @param {number} kinds
 * @returns {Child[]}
 */
function verdict({ stage, solution, problem, puzzle, answered, isOver }, kinds) {
  if (problem) {
    return [problem];
  }
  const side = sideTitle(puzzle.solver, kinds);
  const chances = solution && t("puzzles.chances", {
    side,
    chance: percent(solution.chance),
    second: percent(solution.second),
  });
  if (stage === "wrong") {
    return [t("puzzles.wrong")];
  }
  if (!isOver || !solution) {
    return answered ? [t("puzzles.again")] : [];
  }
  const turn = turnName(solution.turn, puzzle.solver, kinds);
  const words = stage === "solved" ? [t("puzzles.right")] : nodes("puzzles.gave_up", { turn });
  const others = solution.answers.length;
  return [...words, " ", chances, others > 0 && ` ${t("puzzles.other_answers", { n: others })}`];
}

/**
 * @param {PuzzleStanding} standing
 * @param {number | null} change
 * @returns {Child[]}
 */
function standingWords({ rating, provisional, streak }, change) {
  const signed = new Intl.NumberFormat(language, { signDisplay: "exceptZero" });
  return [
    provisional ? t("puzzles.rating_provisional", { rating }) : t("puzzles.rating", { rating }),
    change !== null &&
    h(
      "span",
      { class: change < 0 ? "loss" : "gain" },
      t("puzzles.change", {
        change: signed.format(change).replace("-", "−"),
      }),
    ),
    streak > 0 && h("span", { class: "streak" }, t("puzzles.streak", { n: streak })),
  ];
}

/** @param {string[]} themes */
function themeWords(themes) {
  const words = themes.map((theme) => t(`puzzles.theme.${theme}`));
  return t("puzzles.themes", { themes: new Intl.ListFormat(language).format(words) });
}

/**
 * @param {string} turn
 * @param {Seat} seat
 * @param {number} kinds
 */
function turnName(turn, seat, kinds) {
  return h("span", { class: "turn-name" }, turnParts(turn, seat, kinds));
}

/**
 * @param {Seat} seat
 * @returns {Seat}
 */
function other(seat) {
  return seat === 1 ? 2 : 1;
}

/**
 * @param {string} href
 * @param {string} words
 * @param {string} [style]
 */
function link(href, words, style = "") {
  return h("a", { href, class: style, "data-link": href.includes("#") ? null : true }, words);
}
