/** Puzzles without a server: what comes next, what an answer does, and how the person does. */

import { loadRules } from "../engine/load.js";
import { IllegalTurn } from "../engine/refusal.js";
import { get } from "../shared/api.js";
import { t } from "../shared/messages.js";
import { Refused } from "../shared/protocol.js";
import { refusalWords } from "../shared/server_words.js";
import { documentPath } from "../shared/site.js";
import { load, save } from "../shared/storage.js";
import { readProgress } from "./puzzle_progress.js";
import { afterAnswer, isProvisional, NEW_SOLVER } from "./puzzle_rating.js";

/** @import { Position } from "../engine/rules.js" */
/** @import { Catalogue } from "../shared/catalogue.js" */
/** @import { AskPuzzle, PuzzleDone, PuzzleSolution, PuzzleStanding, PuzzleTried, PuzzleView, Seat, TryPuzzle } from "../shared/wire.d.ts" */
/** @import { Progress } from "./puzzle_progress.js" */

/**
 * A puzzle as `bluestone static` writes it; empty fields are left out.
 * @typedef {object} Puzzle
 * @property {string} id
 * @property {string} game
 * @property {string} board
 * @property {string} rules
 * @property {Record<string, string>} [options]
 * @property {string[]} turns
 * @property {Seat} solver
 * @property {string} solution
 * @property {string[]} [answers]
 * @property {string[]} [line]
 * @property {number} chance
 * @property {number} second
 * @property {string[]} themes
 * @property {number} rating
 */

const KEPT = "puzzles";
/** The next puzzle is one of so many with ratings closest to the person's. */
const CHOICES = 5;
const DAY_MS = 86_400_000;
/** The number of the first day of 1970, as servers number days. */
const FIRST_DAY = 719_163;
const DONE = /** @type {const} */ ({ v: 1, ok: true });

export class Puzzles {
  /** @type {Map<string, Promise<Puzzle[]>>} */
  #asked = new Map();

  /**
   * @param {Catalogue} catalogue
   * @param {() => number} now milliseconds since 1970
   * @param {() => number} random from 0 to below 1
   */
  constructor(catalogue, now = () => Date.now(), random = () => Math.random()) {
    this.catalogue = catalogue;
    this.now = now;
    this.random = random;
  }

  /**
   * @param {AskPuzzle} asked
   * @returns {Promise<PuzzleDone>}
   * @throws {Refused}
   */
  async ask({ puzzle_id: id, daily, game }) {
    const progress = readProgress(load(KEPT, null));
    const puzzle = id
      ? await this.#found(id)
      : daily
      ? await this.#daily()
      : await this.#next(game ?? "", progress);
    return {
      ...DONE,
      puzzle: await this.#view(puzzle),
      standing: await this.#standing(puzzle.game, progress),
      solution: puzzle.id in progress.answers ? solutionOf(puzzle) : null,
    };
  }

  /**
   * Judge an answer; the first one to a puzzle counts.
   * @param {TryPuzzle} asked
   * @returns {Promise<PuzzleTried>}
   * @throws {Refused}
   */
  async judge({ puzzle_id: id, turn = null }) {
    const puzzle = await this.#found(id);
    const solved = turn !== null && await isSolution(puzzle, turn);
    const progress = readProgress(load(KEPT, null));
    const before = progress.ratings[puzzle.game] ?? NEW_SOLVER;
    const isFirst = !(id in progress.answers);
    if (isFirst) {
      progress.answers[id] = solved;
      progress.ratings[puzzle.game] = afterAnswer(before, puzzle.rating, solved);
    }
    if (solved && progress.lastDay !== this.#day) {
      progress.streak = progress.lastDay === this.#day - 1 ? progress.streak + 1 : 1;
      progress.lastDay = this.#day;
    }
    save(KEPT, progress);
    const after = progress.ratings[puzzle.game] ?? before;
    return {
      ...DONE,
      solved,
      change: isFirst ? Math.round(after.rating - before.rating) : null,
      standing: await this.#standing(puzzle.game, progress),
      solution: solved || turn === null ? solutionOf(puzzle) : null,
    };
  }

  get #day() {
    return Math.floor(this.now() / DAY_MS);
  }

  /**
   * The puzzles of a game; none if there are none.
   * @param {string} game
   */
  #of(game) {
    const known = this.#asked.get(game);
    if (known) {
      return known;
    }
    const { build } = document.documentElement.dataset;
    const path = `${documentPath(`/api/puzzles/${game}`)}?v=${build}`;
    const asked = get(path).then((found) => /** @type {{puzzles: Puzzle[]}} */ (found).puzzles);
    this.#asked.set(game, asked);
    asked.catch(() => this.#asked.delete(game));
    return asked;
  }

  async #all() {
    const { games } = await this.catalogue.load();
    const all = await Promise.all(games.map(({ game }) => this.#of(game)));
    return all.filter((puzzles) => puzzles.length > 0);
  }

  /** @param {string} id */
  async #found(id) {
    const puzzle = (await this.#all()).flat().find((each) => each.id === id);
    return puzzle ?? refuse("unknown_puzzle");
  }

  /** The games take turns, each in the order of the ids. */
  async #daily() {
    const games = await this.#all();
    const day = this.#day + FIRST_DAY;
    const puzzles = games[day % games.length]?.toSorted((one, two) => one.id < two.id ? -1 : 1);
    const number = Math.floor(day / games.length);
    return puzzles?.[number % puzzles.length] ?? refuse("unknown_puzzle");
  }

  /**
   * @param {string} game
   * @param {Progress} progress
   */
  async #next(game, { answers, ratings }) {
    const { games } = await this.catalogue.load();
    const puzzles = games.some((each) => each.game === game) ? await this.#of(game) : [];
    const unseen = puzzles.filter(({ id }) => !(id in answers));
    const failed = puzzles.filter(({ id }) => answers[id] === false);
    const { rating } = ratings[game] ?? NEW_SOLVER;
    const distance = (/** @type {Puzzle} */ each) => Math.abs(each.rating - rating);
    const pool = [unseen, failed, puzzles].find((each) => each.length > 0) ?? [];
    const close = pool.toSorted((one, two) => distance(one) - distance(two)).slice(0, CHOICES);
    return close[Math.floor(this.random() * close.length)] ?? refuse("unknown_puzzle");
  }

  /**
   * @param {Puzzle} puzzle
   * @returns {Promise<PuzzleView>}
   */
  async #view({ id, game, board, rules, options = {}, turns, solver, rating }) {
    const isDaily = (await this.#daily()).id === id;
    return {
      ...{ puzzle_id: id, game, board, rules, options, turns, solver, rating, tried: 0 },
      daily: isDaily ? new Date(this.now()).toISOString().slice(0, "2026-01-31".length) : null,
    };
  }

  /**
   * @param {string} game
   * @param {Progress} progress
   * @returns {Promise<PuzzleStanding>}
   */
  async #standing(game, { answers, ratings, lastDay, streak }) {
    const own = (await this.#of(game)).flatMap(({ id }) => id in answers ? [answers[id]] : []);
    const rating = ratings[game] ?? NEW_SOLVER;
    return {
      rating: Math.round(rating.rating),
      deviation: Math.round(rating.deviation),
      provisional: isProvisional(rating),
      tried: own.length,
      solved: own.filter(Boolean).length,
      left: (await this.#of(game)).length - own.length,
      streak: lastDay >= this.#day - 1 ? streak : 0,
      solved_today: lastDay === this.#day,
    };
  }
}

/**
 * Whether a turn leads to the same stones as a right one.
 * @param {Puzzle} puzzle
 * @param {string} turn
 * @throws {Refused}
 */
async function isSolution({ game, board, rules, options = {}, turns, solution, answers }, turn) {
  const loaded = await loadRules({ game, board, rules, options });
  const position = loaded?.replay(turns) ?? refuse("not_now");
  try {
    const stones = stonesAfter(position, turn);
    return [solution, ...answers ?? []].some((each) => stonesAfter(position, each) === stones);
  } catch (error) {
    if (error instanceof IllegalTurn) {
      refuse("illegal_turn", error.rule);
    }
    throw error;
  }
}

/**
 * @param {Position} position
 * @param {string} turn
 */
function stonesAfter(position, turn) {
  return JSON.stringify(Object.entries(position.play(turn).view().stones).sort());
}

/** @param {Puzzle} puzzle @returns {PuzzleSolution} */
function solutionOf({ solution: turn, line = [], chance, second, themes, answers = [] }) {
  return { turn, line, chance, second, themes, answers };
}

/**
 * @param {string} code
 * @param {string | null} [rule]
 * @returns {never}
 */
function refuse(code, rule = null) {
  const message = t(`common.refusal.${code}`);
  throw new Refused(code, refusalWords({ code, message, rule }), null, rule);
}
