/** A player's score as the game counts it: a chip for each group, or one figure. */

import { h, replace } from "../shared/dom.js";
import { nodes, t } from "../shared/messages.js";
import { sideTitle } from "../shared/sentences.js";
import { Signal } from "../shared/signal.js";
import { rove } from "./roving.js";

/** @import { Group } from "../board/geometry.js" */
/** @import { GameTexts } from "../rules/texts.js" */
/** @import { RawBoard } from "../shared/api.js" */
/** @import { Seat } from "../shared/wire.d.ts" */

/**
 * What is counted in a game.
 * @typedef {object} Scoring
 * @property {string} score `groups`, `captures`, `uninspired`, `row`, or any other word, shown after the
 * numbers
 * @property {number | null} goal the score that wins, if there is one
 */

/**
 * @typedef {object} Score
 * @property {number[]} mine from high to low
 * @property {number[]} theirs
 * @property {Group[]} groups this player's, in the order of the scores
 * @property {[least: number, most: number] | null} [bounds] what the final score lies between, if known
 */

export class ScoresView {
  /** @type {Signal<Group | null>} a group to show on the board */
  pointed = new Signal();
  #shown = "";

  /** @param {Seat} seat */
  constructor(seat) {
    this.seat = seat;
    this.element = h("div", { class: "scores" });
  }

  /**
   * @param {Score} score
   * @param {Scoring} scoring
   * @param {boolean} [bare] over the board nobody counts what is on it; captured stones are beside it
   */
  update(score, scoring, bare = false) {
    const isHidden = bare && scoring.score !== "captures";
    // A chip must not be replaced while a person points at it.
    const key = JSON.stringify([isHidden, score, scoring]);
    if (key !== this.#shown) {
      this.#shown = key;
      replace(this.element, ...(isHidden ? [] : this.#parts(score, scoring)));
    }
  }

  /**
   * @param {Score} score
   * @param {Scoring} scoring
   */
  #parts(score, { score: counts, goal }) {
    const [figure = 0] = score.mine;
    switch (counts) {
      case "groups":
        return this.#groups(score);
      case "captures":
        return [
          ...(goal === null
            ? nodes("game.score.captured", { figure: figureOf(figure) })
            : nodes("game.score.captured_of", { figure: figureOf(figure), goal })),
          goal !== null &&
          bar(figure, goal, t("game.score.captures_to_go", { n: missing(figure, goal) })),
        ];
      case "row":
        return [
          ...(goal === null
            ? nodes("game.score.row", { figure: figureOf(figure) })
            : nodes("game.score.row_of", { figure: figureOf(figure), goal })),
          goal !== null &&
          bar(figure, goal, t("game.score.stones_to_go", { n: missing(figure, goal) })),
        ];
      case "uninspired":
        return [
          ...nodes("game.score.uninspired", { n: figure, figure: figureOf(figure) }),
          " ",
          score.bounds
            ? boundsOf(score.bounds)
            : h("span", { class: "quiet" }, t("game.score.fewer_is_better")),
        ];
      default:
        return [figureOf(score.mine.join(", ")), ` ${counts}`];
    }
  }

  /** @param {Score} score */
  #groups({ mine, theirs, groups }) {
    const decides = firstLead(mine, theirs);
    const scoring = mine.filter((score) => score > 0);
    const chips = scoring.map((score, index) => {
      const group = groups[index] ?? null;
      const matches = group !== null && group.blue.length === score;
      return this.#chip(score, index, index === decides, matches ? group : null);
    });
    if (chips.length === 0) {
      return [h("span", { class: "quiet" }, t("game.score.none"))];
    }
    const label = t("game.score.groups", { side: sideTitle(this.seat, 1) });
    const row = h("div", { class: "chips-row", role: "toolbar", "aria-label": label }, chips);
    rove(row);
    return [row];
  }

  /**
   * @param {number} score
   * @param {number} index
   * @param {boolean} decides
   * @param {Group | null} group
   */
  #chip(score, index, decides, group) {
    const show = () => this.pointed.emit(group);
    const hide = () => this.pointed.emit(null);
    const title = decides ? t("game.score.group_decides") : t("game.score.group");
    return h(
      "button",
      {
        type: "button",
        class: decides ? "score decides" : "score",
        "data-key": `score-${this.seat}-${index}`,
        title,
        "aria-label": decides
          ? t("game.score.blue_stones_decide", { n: score })
          : t("game.score.blue_stones", { n: score }),
        tabindex: index === 0 ? 0 : -1,
        onpointerenter: show,
        onpointerleave: hide,
        onfocus: show,
        onblur: hide,
      },
      score,
    );
  }
}

/**
 * A player's score in a position.
 * @param {Seat} seat
 * @param {[number[], number[]]} scores of both players
 * @param {Group[]} groups of both
 * @returns {Score}
 */
export function scoreOf(seat, scores, groups) {
  return {
    mine: scores[seat - 1] ?? [],
    theirs: scores[2 - seat] ?? [],
    groups: groups.filter((group) => group.seat === seat),
  };
}

/**
 * What a final score lies between.
 * @param {[least: number, most: number]} bounds
 */
function boundsOf([least, most]) {
  const words = least === most
    ? t("game.score.final", { count: least })
    : t("game.score.final_between", { least, most });
  return h("span", { class: "bounds", title: t("game.score.final_hint") }, words);
}

/** @param {number | string} figure */
function figureOf(figure) {
  return h("strong", { class: "figure" }, figure);
}

/**
 * The progress of a score.
 * @param {number} figure
 * @param {number} goal
 * @param {string} label says what is missing
 */
function bar(figure, goal, label) {
  return h("progress", { max: goal, value: figure, "aria-label": label });
}

/**
 * @param {number} figure
 * @param {number} goal
 */
function missing(figure, goal) {
  return Math.max(0, goal - figure);
}

/**
 * The index at which a list of scores leads another; -1 if it does not lead.
 * @param {number[]} mine
 * @param {number[]} theirs
 */
function firstLead(mine, theirs) {
  const at = mine.findIndex((score, index) => score !== theirs[index]);
  return at >= 0 && (mine[at] ?? 0) > (theirs[at] ?? 0) ? at : -1;
}

/**
 * What is counted in a game, and the score that wins with its options.
 * @param {{options?: Record<string, unknown>}} setup
 * @param {RawBoard} raw
 * @param {GameTexts} texts
 * @returns {Scoring}
 */
export function scoringOf({ options = {} }, { score, options: usual }, texts) {
  const goal = texts.rows?.goal ?? options[score] ?? usual[score];
  return { score, goal: goal === undefined ? null : Number(goal) };
}
