/**
 * A small arena inside the page: it plays games on this device against bots of all levels, or of two
 * people, and answers the requests of the arena protocol about them, with the server's answers and
 * events.
 *
 * Problem: pages of games, replays and analysis know one protocol. Idea: this class speaks it, so they
 * need not know where a game is played. Rejected: games of their own kind with pages of their own,
 * which would double everything that a person sees.
 *
 * Each change is on the disk before it is acknowledged or shown. Several tabs may show one game: a
 * change that was made from an old state is refused as `stale_ply`, and the bot thinks in one tab.
 */

import { IllegalTurn } from "../engine/refusal.js";
import { other } from "../shared/games.js";
import { t } from "../shared/messages.js";
import { changeBy, ended } from "./actions.js";
import { BotTurns } from "./bot_turns.js";
import { OpenGames } from "./open_games.js";
import { refusal, refuseIf } from "./refusals.js";
import { challengeOf, newGame } from "./starting.js";
import { TurnTimes } from "./turn_times.js";

/** @import { Setup } from "../engine/mechanics.d.ts" */
/** @import { Position } from "../engine/rules.js" */
/** @import { Bot } from "./bot_turns.js" */
/** @import { Keeping } from "./open_games.js" */
/** @import { PlayedGame } from "./played_game.js" */
/** @import { People } from "./players.js" */
/** @import { StoredGame } from "./stored_game.js" */
/** @import { Timing } from "./turn_times.js" */
/**
 * @import {
 *   AnalysisLine,
 *   AnalysisState,
 *   ClientEvents,
 *   CreateChallenge,
 *   GameAction,
 *   GameAnalysis,
 *   GameState,
 *   PlayTurn,
 *   StartAnalysis,
 * } from "../shared/wire.d.ts"
 */

const HIGHEST_LEVEL = 10;
/** As the server searches for a hint. */
const HINT_MS = 1_000;
const DONE = /** @type {const} */ ({ v: 1, ok: true });

/**
 * @typedef {object} Page
 * @property {(setup: Setup, level: number) => Bot} makeBot
 * @property {() => People} people
 * @property {Timing} timing
 * @property {(game: GameState) => void} show a state of a game
 * @property {(setup: Setup) => boolean} refusesHelp whether a running game forbids help with a board
 * @property {(name: string, act: () => Promise<void>) => Promise<void>} alone acts when no other tab
 *   acts under that name
 * @property {() => Date} now
 * @property {() => number} random from 0 to below 1
 */

/** @typedef {Page & Keeping} Surroundings */

/** @typedef {{[Event in keyof ClientEvents]: (fields: ClientEvents[Event]["send"]) => Promise<ClientEvents[Event]["answer"]>}} Answers */

export class LocalArena {
  #around;
  #turns;
  #games;
  #times;
  /** @type {Partial<Answers>} */
  #answers = {
    "challenge.create": (asked) => this.#start(asked),
    "game.state": ({ game_id: id }) => this.#show(id),
    "game.watch": ({ game_id: id, follow = true }) => this.#watch(id, follow),
    "game.turn": (asked) => this.#games.inLine(asked.game_id, () => this.#play(asked)),
    "game.action": (asked) => this.#games.inLine(asked.game_id, () => this.#act(asked)),
    "game.position": async ({ game_id: id, ply }) => {
      const position = (await this.#at(id, ply ?? null)).view();
      return { ...DONE, position };
    },
    "game.legal": async ({ game_id: id, ply, chosen = [], about }) => {
      const game = await this.#games.get(id);
      refuseIf(ply !== null && ply !== undefined && ply !== game.turns.length, "stale_ply");
      refuseIf(!game.isPlaying, "game_over");
      return { ...DONE, legal: game.position.legal(chosen, about ?? undefined) };
    },
    "analysis.start": (asked) => this.#hint(asked),
    "analysis.game": ({ game_id: id }) => Promise.resolve({ ...DONE, analysis: notAnalysed(id) }),
  };

  /** @param {Surroundings} around */
  constructor(around) {
    this.#around = around;
    this.#games = new OpenGames({ ...around, tell: (game) => this.#tell(game) });
    this.#turns = new BotTurns({
      ...{ makeBot: around.makeBot, alone: around.alone },
      game: (id) => this.#games.inLine(id, () => this.#games.fresh(id)),
      play: (game, turn, info) =>
        this.#games.inLine(game.id, () => this.#playForBot(game, turn, info)),
      failed: (why) => around.warn(t("outside.local.bot_failed", { why })),
    });
    this.#times = new TurnTimes({ ...around.timing, over: (game) => this.#timeIsUp(game) });
  }

  /**
   * Answer a request about a game of this device, or one that starts such a game.
   * @template {keyof ClientEvents} Event
   * @param {Event} event
   * @param {Omit<ClientEvents[Event]["send"], "v">} fields
   * @returns {Promise<ClientEvents[Event]["answer"]>}
   * @throws {Refused}
   */
  async answer(event, fields) {
    const answer = this.#answers[event];
    if (!answer) {
      throw refusal("not_now");
    }
    return await answer(/** @type {ClientEvents[Event]["send"]} */ ({ v: 1, ...fields }));
  }

  /** All games as they are stored. */
  async games() {
    return await this.#games.all();
  }

  /** The person has another name now, or another tab has changed a game. @param {string} id */
  async reload(id) {
    if (this.#games.ids.includes(id)) {
      await this.#games.inLine(id, async () => this.#tell(await this.#games.fresh(id)));
    }
  }

  /** Show all open games again. */
  async reloadAll() {
    await Promise.all(this.#games.ids.map((id) => this.reload(id)));
  }

  /**
   * The server has a finished game among the person's games.
   * @param {string} id
   * @param {string} added its id there
   */
  async noteAdded(id, added) {
    await this.#games.inLine(id, async () => {
      const game = await this.#games.fresh(id);
      await this.#games.keep(game, game.changed({ added }, game.stored.changed_at));
    });
  }

  /** The person sees this tab, or does not: clocks run only in a tab that is seen. @param {boolean} isSeen */
  see(isSeen) {
    this.#times.see(isSeen);
    for (const id of this.#games.ids.filter((each) => this.#times.shows(each))) {
      this.reload(id).catch(() => undefined); // a game that is gone is said to be so when it is asked for
    }
  }

  /** End all searches and clocks. */
  dispose() {
    this.#turns.dispose();
    this.#times.dispose();
  }

  // ---- requests --------------------------------------------------------------------------------

  /**
   * @param {CreateChallenge} asked
   * @returns {Promise<ClientEvents["challenge.create"]["answer"]>}
   */
  async #start(asked) {
    const { people, random, now } = this.#around;
    const stored = newGame(asked, now(), random);
    const rules = await this.#games.rules(stored.setup);
    refuseIf(rules === null, "not_now", t("outside.local.no_board"));
    await this.#games.add(stored);
    return { ...DONE, challenge: challengeOf(stored, people()) };
  }

  /** @param {string} id */
  async #show(id) {
    const game = await this.#games.get(id);
    this.#turns.due(game);
    return this.#done(game);
  }

  /**
   * @param {string} id
   * @param {boolean} follow whether the person sees the game from now on
   */
  async #watch(id, follow) {
    const game = await this.#games.get(id);
    follow && game.opponent.isHere ? this.#times.show(game) : this.#times.leave(id);
    return await this.#show(id);
  }

  /**
   * @param {PlayTurn} asked
   * @returns {Promise<ClientEvents["game.turn"]["answer"]>}
   */
  async #play({ game_id: id, ply, turn, takebacks }) {
    const game = await this.#games.get(id);
    const { stored } = game;
    const isOfNow = takebacks === null || takebacks === undefined || takebacks === stored.takebacks;
    if (isOfNow && stored.turns[ply]?.turn === turn && !game.isBotsAt(ply)) {
      return { ...DONE, game_id: id, ply, duplicate: true };
    }
    refuseIf(!game.isPlaying, "game_over");
    refuseIf(!isOfNow || ply !== stored.turns.length, "stale_ply");
    refuseIf(game.isBotsTurn, "not_your_turn");
    if (this.#times.isOver(game)) {
      await this.#loseOnTime(game);
      throw refusal("game_over");
    }
    const after = legally(game.position, turn);
    await this.#games.keep(game, game.after(this.#spent(game, null), after, this.#now));
    return { ...DONE, game_id: id, ply, duplicate: false };
  }

  /**
   * @param {GameAction} asked
   * @returns {Promise<ClientEvents["game.action"]["answer"]>}
   */
  async #act({ game_id: id, action, ply, takebacks }) {
    const game = await this.#games.get(id);
    const { stored } = game;
    refuseIf(!game.isPlaying, "game_over");
    refuseIf((ply ?? stored.turns.length) !== stored.turns.length, "stale_ply");
    refuseIf((takebacks ?? stored.takebacks) !== stored.takebacks, "stale_ply");
    const change = changeBy(game, action, this.#now);
    if (change === null) {
      this.#around.show(this.#state(game, { sub_revision: 1, draw_offer: stored.seat }));
      return { ...DONE, game: this.#state(game, { sub_revision: 2 }) };
    }
    return this.#done(await this.#games.keep(game, change));
  }

  /**
   * The best turn in a running game, as a bot of the highest level sees it.
   * @param {StartAnalysis} asked
   * @returns {Promise<ClientEvents["analysis.start"]["answer"]>}
   */
  async #hint({ request, hint: id }) {
    const game = await this.#games.get(id ?? "");
    refuseIf(!game.isPlaying, "game_over");
    refuseIf(game.isBotsTurn, "not_your_turn");
    refuseIf(game.opponent.isHere, "not_now");
    refuseIf(this.#around.refusesHelp(game.stored.setup), "in_game");
    const bot = this.#around.makeBot(game.stored.setup, HIGHEST_LEVEL);
    try {
      const found = await bot.choose(game.turns, HINT_MS);
      await this.#games.inLine(game.id, () => this.#countHint(game));
      const lines = found ? [{ ...found.info, turn: found.turn }] : [];
      return { ...DONE, analysis: hintOf(request, lines) };
    } finally {
      bot.dispose();
    }
  }

  /** @param {PlayedGame} asked */
  async #countHint({ id, stored }) {
    const game = await this.#games.get(id);
    refuseIf(game.stored.revision !== stored.revision, "stale_ply");
    await this.#games.keep(game, game.changed({ hints: stored.hints + 1 }, stored.changed_at));
  }

  /** @param {PlayedGame} game */
  #done(game) {
    return { ...DONE, game: this.#state(game) };
  }

  /**
   * @param {PlayedGame} game
   * @param {Partial<GameState>} [passing]
   */
  #state(game, passing) {
    const began = this.#around.timing.ticks() - this.#times.used(game);
    return game.state(
      this.#around.people(),
      { isRunning: this.#times.isRunning(game), began },
      passing,
    );
  }

  /** The time of the player to move is used up, unless the game has changed. @param {PlayedGame} late */
  async #timeIsUp({ id, stored }) {
    try {
      await this.#games.inLine(id, async () => {
        const game = await this.#games.fresh(id);
        game.stored.revision === stored.revision && await this.#loseOnTime(game);
      });
    } catch {
      // Another tab was faster, or the storage fails: the next turn is refused.
    }
  }

  /** @param {PlayedGame} game */
  async #loseOnTime(game) {
    const winner = other(game.position.toPlay);
    await this.#games.keep(game, ended(game, winner, "time_forfeit", this.#now));
  }

  /**
   * Play the bot's turn, unless the game has changed since it was sought.
   * @param {PlayedGame} sought
   * @param {string} turn
   * @param {StoredGame["turns"][number]["info"]} info
   */
  async #playForBot(sought, turn, info) {
    const game = await this.#games.get(sought.id);
    if (game.stored.revision === sought.stored.revision) {
      const after = game.position.play(turn);
      await this.#games.keep(game, game.after(this.#spent(game, info), after, this.#now));
    }
  }

  /**
   * @param {PlayedGame} game
   * @param {StoredGame["turns"][number]["info"]} info
   */
  #spent(game, info) {
    const ms = game.opponent.isHere
      ? this.#times.used(game)
      : this.#around.now().getTime() - Date.parse(game.stored.changed_at);
    return { time_ms: Math.max(0, Math.floor(ms)), info }; // never more than a clock had left
  }

  /** @param {PlayedGame} game */
  #tell(game) {
    this.#times.shows(game.id) && this.#times.show(game);
    this.#around.show(this.#state(game));
    this.#turns.due(game);
  }

  /**
   * @param {string} id
   * @param {number | null} ply null: the last one
   */
  async #at(id, ply) {
    const game = await this.#games.get(id);
    const position = ply === null ? game.position : game.positionAt(ply);
    if (!position) {
      throw refusal("stale_ply");
    }
    return position;
  }

  get #now() {
    return this.#around.now().toISOString();
  }
}

/**
 * @param {Position} position
 * @param {string} turn
 */
function legally(position, turn) {
  try {
    return position.play(turn);
  } catch (error) {
    if (!(error instanceof IllegalTurn)) {
      throw error;
    }
    throw refusal("illegal_turn", undefined, error.rule);
  }
}

/**
 * @param {string} request
 * @param {AnalysisLine[]} lines
 * @returns {AnalysisState}
 */
function hintOf(request, lines) {
  const [{ value = null, visits = null } = {}] = lines;
  return {
    ...{ v: 1, request, revision: 1, state: "done", place: null, value, visits, lines },
    ...{ engine: null, shortened: false, message: null },
  };
}

/**
 * No analysis is kept here: the page makes it.
 * @param {string} id
 * @returns {GameAnalysis}
 */
function notAnalysed(id) {
  return {
    ...{ v: 1, game_id: id, revision: 0, state: "none", done: 0, total: 0, turns: [] },
    ...{ engine: null, message: null },
  };
}
