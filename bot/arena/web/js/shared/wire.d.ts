/**
 * The messages of the arena protocol; docs/arena-protocol.md explains them. Written by
 * `python -m tools.wire_types` from bot/wire.
 */

export type Seat = 1 | 2;
export type TimeControl = GameSetup["clock"];

/** `initial_s` for the whole game. */
export interface Absolute {
  kind: "absolute";
  initial_s: number;
}

export interface AcceptChallenge {
  /** version of the protocol */
  v: 1;
  challenge_id: string;
}

/**
 * Add a finished game, played on this device against a bot of the page, to one's own games. The
 * server replays it, and finds its result. Sending it again is safe: the same `local_id` of the
 * same player is one game. `resigned`: the player gave up before the game was played out.
 */
export interface AddGame {
  /** version of the protocol */
  v: 1;
  /** the id that the game has on the device */
  local_id: string;
  setup: AnalysisSetupSent;
  /** that of the player; the bot has the other one */
  seat: Seat;
  /** that of the bot */
  level: number;
  turns: string[];
  /** the thinking time of each turn, by the clock of the device; 0 if left out */
  times_ms?: number[];
  resigned?: boolean;
  takebacks?: number;
  hints?: number;
  started_at: string;
  ended_at: string;
}

/**
 * A turn of a finished game, compared with the engine's choice in the same position. Values are
 * chances of the player who made the turn. Both are searched for the same time.
 */
export interface AnalysedTurn {
  ply: number;
  player: Seat;
  turn: string;
  /** after the turn that was played */
  value: number | null;
  /** the engine's choice */
  best: string;
  /** after the engine's choice */
  best_value: number | null;
  /** `best_value` minus `value`, at least 0 */
  loss: number | null;
  mark: "inaccuracy" | "mistake" | "blunder" | null;
  /** best line first */
  lines: AnalysisLine[];
}

export interface AnalysisDone {
  v: 1;
  ok: true;
  analysis: AnalysisState;
}

/** A position for a worker to search for `seconds`. */
export interface AnalysisJob {
  job_id: string;
  setup: AnalysisSetup;
  turns: string[];
  seconds: number;
  /** how many lines are wanted */
  lines: number;
}

export interface AnalysisJobDone {
  v: 1;
  ok: true;
  /** null: there is nothing to do now */
  job: AnalysisJob | null;
}

/** A turn, the mover's chance to win after it, and the turns that the engine expects. */
export interface AnalysisLineSent {
  turn: string;
  value?: number | null;
  visits?: number | null;
  /** the expected turns, starting with `turn` */
  pv?: string[];
}

/** A turn, the mover's chance to win after it, and the turns that the engine expects. */
export interface AnalysisLine {
  turn: string;
  value: number | null;
  visits: number | null;
  /** the expected turns, starting with `turn` */
  pv: string[];
}

export interface AnalysisReportDone {
  v: 1;
  ok: true;
  /** whether the job is still wanted; if not, take another one */
  wanted: boolean;
}

/** What is played. An omitted board, rule set or option is the game's default. */
export interface AnalysisSetupSent {
  game?: string;
  board?: string | null;
  rules?: string | null;
  options?: Record<string, number | string>;
}

/** What is played. An omitted board, rule set or option is the game's default. */
export interface AnalysisSetup {
  game: string;
  board: string | null;
  rules: string | null;
  options: Record<string, string>;
}

/** The state of a visitor's analysis. Values are chances of the player to move. */
export interface AnalysisState {
  v: 1;
  request: string;
  /** increases with every event of this request */
  revision: number;
  state: "queued" | "running" | "done" | "failed" | "cancelled";
  /** place in the queue, from 1; null unless queued */
  place: number | null;
  value: number | null;
  visits: number | null;
  /** best line first */
  lines: AnalysisLine[];
  engine: string | null;
  /** whether the search was shorter because many visitors waited */
  shortened: boolean;
  /** why it failed or was cancelled */
  message: string | null;
}

/**
 * Request the steps that may follow `chosen` in the position after `turns`. The answer is that of
 * `game.legal`.
 */
export interface AskAnyLegal {
  /** version of the protocol */
  v: 1;
  setup: AnalysisSetupSent;
  turns: string[];
  chosen?: string[];
  /** a step that the answer must explain in `illegal` if it is not legal */
  about?: string | null;
}

/** Request the position after `turns`, whether or not a game with them was ever played. */
export interface AskAnyPosition {
  /** version of the protocol */
  v: 1;
  setup: AnalysisSetupSent;
  turns: string[];
}

/** Request an open challenge by its id, which is the secret of a private one. */
export interface AskChallenge {
  /** version of the protocol */
  v: 1;
  challenge_id: string;
}

/** Request the lines of a game; only its players can read them. */
export interface AskChat {
  /** version of the protocol */
  v: 1;
  game_id: string;
}

/** Request the whole state of a game. */
export interface AskGame {
  /** version of the protocol */
  v: 1;
  game_id: string;
}

/** Request the analysis of a finished game. `start` begins it if it is missing. */
export interface AskGameAnalysis {
  /** version of the protocol */
  v: 1;
  game_id: string;
  start?: boolean;
}

/** Request the names of the players whom the player ignores. */
export interface AskIgnored {
  /** version of the protocol */
  v: 1;
}

/**
 * Request the steps that the player to move may choose after those in `chosen`. If `ply` is given
 * and another ply is next, the request is refused. A step is a cell. If players own several kinds
 * of stones, the digit of the kind comes before the cell.
 */
export interface AskLegal {
  /** version of the protocol */
  v: 1;
  game_id: string;
  ply?: number | null;
  chosen?: string[];
  /** a step that the answer must explain in `illegal` if it is not legal */
  about?: string | null;
}

/** Request the player's own conditional turns of a game; nobody else can. */
export interface AskPlan {
  /** version of the protocol */
  v: 1;
  game_id: string;
}

/** Request the position after `ply` turns of a game; null means the last position. */
export interface AskPosition {
  /** version of the protocol */
  v: 1;
  game_id: string;
  ply?: number | null;
}

/** Request a puzzle: that of the day, one by its id, or the next one of a game. */
export interface AskPuzzle {
  /** version of the protocol */
  v: 1;
  game?: string | null;
  puzzle_id?: string | null;
  daily?: boolean;
}

/** Request the `Welcome` again: everything that concerns this client. */
export interface AskState {
  /** version of the protocol */
  v: 1;
}

/** `main_s`, then `periods` periods; a turn within a period does not use it up (Japanese). */
export interface ByoYomi {
  kind: "byoyomi";
  main_s: number;
  period_s: number;
  periods: number;
}

/** End the player's analysis; with `request`, only if it is that one. */
export interface CancelAnalysis {
  /** version of the protocol */
  v: 1;
  request?: string | null;
}

export interface CancelChallenge {
  /** version of the protocol */
  v: 1;
  challenge_id: string;
}

/**
 * One challenge, sent at each change to its creator and to the players in it. The lobby lists it
 * only while its `state` is `open`, and only if it is not `private`.
 */
export interface Challenge {
  v: 1;
  challenge_id: string;
  creator: Player;
  setup: GameSetup;
  seats: [string | null, string | null];
  random_seats: boolean;
  /** whether only players who know its id can see and accept it */
  private: boolean;
  /** players who have agreed, including a creator with a seat */
  accepted: string[];
  state: "open" | "started" | "declined" | "cancelled" | "expired";
  /** why it ended: the code of the player who declined, or a code of the server */
  code: string | null;
  message: string | null;
  /** a bot that has a place for the game, if the one that declined has none */
  instead: string | null;
  /** the game that the challenge started */
  game_id: string | null;
  created_at: string;
  expires_at: string;
}

export interface ChallengeDone {
  v: 1;
  ok: true;
  challenge: Challenge;
}

/** A new line, sent to both players of a game. */
export interface Chat {
  v: 1;
  game_id: string;
  line: ChatLine;
}

export interface ChatDone {
  v: 1;
  ok: true;
  lines: ChatLine[];
  /** whether each player allows texts */
  open: [boolean, boolean];
}

/** A line of a chat, as it is stored. */
export interface ChatLine {
  id: string;
  /** who said it */
  seat: Seat;
  /** preset, text, open or closed; servers may add others */
  kind: string;
  /** the word of a preset, or a text; empty otherwise */
  body: string;
  at: string;
}

/** Both clocks at `GameState.server_time`. The running clock includes the time up to then. */
export interface ClockView {
  players: [PlayerClock, PlayerClock];
  running: Seat | null;
  /** while no clock runs: milliseconds left to the player to move for a first turn */
  first_turn_ms: number | null;
  /**
   * milliseconds that the player to move may be disconnected before the game ends; it decreases
   * while they are; null: unlimited
   */
  away_ms: number | null;
}

/** Fischer in days, with at most `maximum_s` on the clock. */
export interface Correspondence {
  kind: "correspondence";
  initial_s: number;
  increment_s: number;
  maximum_s: number;
}

/**
 * Offer a game. A seat holds a player's name, or `null` for any player. If both seats name other
 * players, both must accept; so a person can watch two bots play. With `random_seats` the server
 * draws the seats when the game starts. A `private` challenge has a free seat and is listed
 * nowhere: the creator gives its id to another player.
 */
export interface CreateChallenge {
  /** version of the protocol */
  v: 1;
  setup: OfferedSetup;
  seats: [string | null, string | null];
  random_seats?: boolean;
  private?: boolean;
}

/** Make a tournament. Only hosts may. */
export interface CreateTournament {
  /** version of the protocol */
  v: 1;
  settings: OfferedTournament;
}

/** The `auth` of the Socket.IO connection: a bot's token, a guest's key, or neither. */
export interface Credentials {
  /** version of the protocol */
  v: 1;
  token?: string | null;
  guest_key?: string | null;
  /** the name that a guest wants */
  name?: string | null;
  /** the engine of a bot, for people to see */
  engine?: string | null;
  /** the strength that a bot declares, from 1 to 10 */
  level?: number | null;
  /** `new`: get `change` events instead of whole games while games are played */
  events?: "new" | null;
}

/** Decline a challenge, with a code for programs and a sentence for people. */
export interface DeclineChallenge {
  /** version of the protocol */
  v: 1;
  challenge_id: string;
  code: string;
  message: string;
}

/** The request was carried out. Its effects are committed to disk. */
export interface Done {
  v: 1;
  ok: true;
}

/** Why a game ends, or could end, before a player is stuck; in Stargazers only. */
export interface EarlyEnd {
  winner: Seat;
  /** how many stones of the loser stay uninspired at least */
  assured: number;
  /** how many stones of the winner can be uninspired at most */
  potential: number;
}

/** End a tournament: pair no more rounds and start no games. Before the start, cancel it. */
export interface EndTournament {
  /** version of the protocol */
  v: 1;
  tournament_id: string;
  why: string;
}

/** Register for a tournament. Its games then start for this player without a challenge. */
export interface EnterTournament {
  /** version of the protocol */
  v: 1;
  tournament_id: string;
}

/** `initial_s` for the game, and `increment_s` added after each turn. */
export interface Fischer {
  kind: "fischer";
  initial_s: number;
  increment_s: number;
}

/**
 * Resign, abort (before both have played), offer, accept or decline a draw, ask to take one's last
 * turn back, accept or decline that, or offer to abort, accept or decline that. With `ply` and
 * `takebacks`, those of the state for which a player acts, an action is refused as `stale_ply` if
 * the game has changed. A client needs them to repeat `ask_takeback` safely.
 */
export interface GameAction {
  /** version of the protocol */
  v: 1;
  game_id: string;
  action:
    | "resign"
    | "abort"
    | "offer_draw"
    | "accept_draw"
    | "decline_draw"
    | "ask_takeback"
    | "accept_takeback"
    | "decline_takeback"
    | "offer_abort"
    | "accept_abort"
    | "decline_abort";
  ply?: number | null;
  takebacks?: number | null;
}

/** A game of the player's own device stands in the player's games, with this id. */
export interface GameAdded {
  v: 1;
  ok: true;
  game_id: string;
  /** whether it was added before */
  duplicate: boolean;
}

/** The analysis of a finished game. It is made once, and stored. */
export interface GameAnalysis {
  v: 1;
  game_id: string;
  revision: number;
  state: "none" | "queued" | "running" | "done" | "failed";
  /** positions that have been searched */
  done: number;
  /** positions to search, as far as known */
  total: number;
  turns: AnalysedTurn[];
  engine: string | null;
  message: string | null;
}

export interface GameAnalysisDone {
  v: 1;
  ok: true;
  analysis: GameAnalysis;
}

/**
 * The changes of a running game since the state whose digest is `follows`. `turn` and `position`
 * are null if no turn was played. All other fields are as in `GameState`.
 */
export interface GameChange {
  v: 1;
  game_id: string;
  revision: number;
  sub_revision: number;
  /** number of turns after this change */
  ply: number;
  /** digest of the turns before this change */
  follows: string;
  /** digest of the turns after this change */
  digest: string;
  turn: PlayedTurn | null;
  position: PositionChange | null;
  connected: [boolean, boolean];
  clocks: ClockView;
  draw_offer: Seat | null;
  takeback_offer: Seat | null;
  abort_offer: Seat | null;
  hints: number;
  spectators: number;
  server_time: string;
}

export interface GameDone {
  v: 1;
  ok: true;
  game: GameState;
}

/** What is played. Options that are not listed have their default on that board. */
export interface GameSetup {
  game: string;
  board: string;
  rules: string;
  options: Record<string, string>;
  clock: Fischer | ByoYomi | PerTurn | Absolute | Correspondence | Untimed;
  rated: boolean;
}

/** Everything about one game. `turns` is authoritative: a client replays it for every event. */
export interface GameState {
  v: 1;
  game_id: string;
  /** increases by one with every stored change */
  revision: number;
  /** counts later changes that are not stored: connections and stopped clocks */
  sub_revision: number;
  /** digest of `turns`; it differs if the turns differ */
  digest: string;
  setup: GameSetup;
  players: [Player, Player];
  connected: [boolean, boolean];
  state: "playing" | "finished";
  turns: PlayedTurn[];
  to_play: Seat;
  position: PositionView;
  clocks: ClockView;
  draw_offer: Seat | null;
  /** the player who asks to take their last turn back */
  takeback_offer: Seat | null;
  /** how often turns were taken back; null only from servers of older versions */
  takebacks: number | null;
  /** the player who offers to end the game without a result */
  abort_offer: Seat | null;
  /** how often an engine gave a hint, against a bot */
  hints: number;
  /** connections that follow the game, without its players */
  spectators: number;
  result: Result | null;
  /** null outside of tournaments */
  tournament: TournamentPlace | null;
  created_at: string;
  server_time: string;
}

export interface GameSummary {
  game_id: string;
  setup: GameSetup;
  players: [Player, Player];
  state: "playing" | "finished";
  plies: number;
  result: Result | null;
  tournament: TournamentPlace | null;
  created_at: string;
  /** null while the game is played */
  ended_at: string | null;
}

/** Ignore a player, or stop it: the arena refuses their challenges to you, and their chat. */
export interface IgnorePlayer {
  /** version of the protocol */
  v: 1;
  name: string;
  /** false: no longer ignore the player */
  ignore?: boolean;
}

export interface IgnoredDone {
  v: 1;
  ok: true;
  /** the names of the players whom the player ignores */
  ignored: string[];
}

/** Why a step cannot be chosen: the code of a rule, and a sentence for people. */
export interface Illegal {
  rule: string;
  message: string;
}

/** Cancel a registration. After the start, withdraw from the tournament. */
export interface LeaveTournament {
  /** version of the protocol */
  v: 1;
  tournament_id: string;
}

export interface LegalDone {
  v: 1;
  ok: true;
  legal: LegalView;
}

export interface LegalView {
  ply: number;
  /** steps that may be chosen next */
  legal: string[];
  /**
   * every other step, with the reason; on a board without an edge only the occupied cells and the
   * step `about`
   */
  illegal: Record<string, Illegal>;
  /** whether the chosen steps are a legal turn as they are */
  complete: boolean;
  /** whether the turn may be a pass; false once a stone is chosen */
  may_pass: boolean;
  /** cells that the chosen steps would clear */
  captured: string[];
}

/** The content of the front page, sent to every client when it changes. */
export interface Lobby {
  v: 1;
  revision: number;
  /** players who are connected */
  players: Player[];
  challenges: Challenge[];
  /** running games, then the latest finished ones */
  games: GameSummary[];
  /** games that are still being compiled */
  warming: Warming[];
  /** tournaments that are running or still to come */
  tournaments: TournamentSummary[];
  /** maintenance that is planned or under way; null: none */
  maintenance: Maintenance | null;
}

/**
 * Maintenance that the operator has planned. From `starts_at`, no games start. Running games are
 * played to their end. `challenge.create`, `challenge.accept` and `tournament.start` are refused
 * with `not_now` and the rule `maintenance`.
 */
export interface Maintenance {
  reason: string;
  starts_at: string;
}

export interface OfferedAbsolute {
  kind: "absolute";
  initial_s: number;
}

export interface OfferedByoYomi {
  kind: "byoyomi";
  main_s: number;
  period_s: number;
  periods: number;
}

export interface OfferedCorrespondence {
  kind: "correspondence";
  initial_s: number;
  increment_s: number;
  maximum_s: number;
}

export interface OfferedFischer {
  kind: "fischer";
  initial_s: number;
  increment_s: number;
}

export interface OfferedPerTurn {
  kind: "per_turn";
  turn_s: number;
}

/**
 * A setup that a player offers. Omitted boards, rules and options are the game's defaults. A client
 * may send a `GameSetup` of the server as it is.
 */
export interface OfferedSetup {
  game?: string;
  board?: string | null;
  rules?: string | null;
  options?: Record<string, number | string>;
  clock:
    | OfferedFischer
    | OfferedByoYomi
    | OfferedPerTurn
    | OfferedAbsolute
    | OfferedCorrespondence
    | UntimedSent;
  rated?: boolean;
}

/** A tournament as a host requests it. */
export interface OfferedTournament {
  name: string;
  /** the `kind` of the format, with the settings of that kind, such as `rounds` */
  format?: Record<string, number | string>;
  /** games of one pairing, with alternating seats */
  games_per_pairing?: number;
  /** with several setups: one after the other, or all of them in each pairing */
  mix?: "rotate" | "all";
  /**
   * the first turns of games; each opening is played twice, with exchanged seats; or
   * `random:PLIES`; empty: games start without an opening
   */
  openings?: string[][] | string;
  seed?: number;
  /** in this order; empty: the usual ones of the format */
  tie_breaks?: string[];
  /** pairs of players who are never paired */
  forbidden?: [string, string][];
  admits?: "bots" | "people" | "both";
  players?: string[];
  /** the only bots that may enter; null: all bots that `admits` allows */
  bots?: string[] | null;
  most_players?: number;
  /** when registration opens; null: at once */
  opens_at?: string | null;
  /** when registration closes; null: at the start */
  closes_at?: string | null;
  /** null: when the host starts it */
  starts_at?: string | null;
  /** a player may still enter while at most this many rounds have been paired */
  late_rounds?: number;
  /** seconds between two rounds */
  pause_s?: number;
  /**
   * seconds after the last game in which the host can correct results, unless the host ends the
   * tournament before
   */
  review_s?: number;
  /** seconds after which a disconnected player forfeits a game that is due */
  no_show_s?: number;
  /** a player who forfeits this many games in a row is withdrawn */
  no_shows?: number;
  setups: OfferedTournamentSetup[];
}

/** A setup as in a challenge, whose `clock` may also be a text such as "60+1". */
export interface OfferedTournamentSetup {
  game?: string;
  board?: string | null;
  rules?: string | null;
  options?: Record<string, number | string>;
  clock:
    | OfferedFischer
    | OfferedByoYomi
    | OfferedPerTurn
    | OfferedAbsolute
    | OfferedCorrespondence
    | UntimedSent
    | string;
  rated?: boolean;
}

/** Finish the running games and start no others. */
export interface PauseTournament {
  /** version of the protocol */
  v: 1;
  tournament_id: string;
  why?: string;
}

/** `turn_s` for every turn; unused time is lost. */
export interface PerTurn {
  kind: "per_turn";
  turn_s: number;
}

export interface PlanDone {
  v: 1;
  ok: true;
  /** the ply at which the lines begin */
  ply: number;
  lines: string[][];
}

/**
 * Replace the player's conditional turns of a game while the opponent is to move. Each line begins
 * with a turn of the opponent at `ply`, and ends with one of the player. An empty list removes
 * them.
 */
export interface PlanTurns {
  /** version of the protocol */
  v: 1;
  game_id: string;
  ply: number;
  takebacks?: number;
  lines: string[][];
}

/**
 * Play `turn` as ply `ply`. The first turn of a game is ply 0. Sending the same turn for the same
 * ply again is safe; the answer then has `duplicate`. With `takebacks`, the number in the state for
 * which the turn was chosen, that is also safe if turns are taken back meanwhile: the turn is then
 * refused as `stale_ply`.
 */
export interface PlayTurn {
  /** version of the protocol */
  v: 1;
  game_id: string;
  ply: number;
  turn: string;
  takebacks?: number | null;
  info?: TurnInfoSent | null;
}

export interface PlayedTurn {
  turn: string;
  captured: string[];
  /** thinking time, by the server's clock */
  time_ms: number;
  /** the mover's clock after the turn */
  clock: PlayerClock;
  info: TurnInfo | null;
}

/** A player of the server. `name` is unique and may change; `id` is unique and never changes. */
export interface Player {
  /** null only from servers of older versions */
  id: string | null;
  name: string;
  kind: "bot" | "person" | "guest";
  engine: string | null;
  /** the strength that a bot declares */
  level: number | null;
  /** whether a person has an account, and so may play rated games */
  registered: boolean;
  /**
   * ratings by game: all of them in the lobby; in games and challenges only that of their game, at
   * the start; elsewhere none
   */
  ratings: Record<string, ShownRating>;
}

/**
 * One player's clock: `main_ms` left, and byo-yomi periods left. `main_ms` is None in an untimed
 * game. `period_used_ms` is the part of its byo-yomi period that a running turn has used, 0 between
 * turns. `flagged` is set if the clock has run out.
 */
export interface PlayerClock {
  main_ms: number | null;
  periods: number;
  period_used_ms: number;
  flagged: boolean;
}

/** The board after a turn, relative to the board before it. */
export interface PositionChange {
  to_play: Seat;
  /** cell name: (player, kind of stone) */
  placed: Record<string, [Seat, number]>;
  /** cells that became empty, except those in `turn.captured` */
  removed: string[];
  /** cell name: its new mark; null if the mark is gone */
  marks: Record<string, string | null>;
  /** cells of the turn */
  last: string[];
  scores: [number[], number[]];
  over: boolean;
  winner: Seat | null;
  early_end: EarlyEnd | null;
}

export interface PositionDone {
  v: 1;
  ok: true;
  position: PositionView;
}

/** A position as a page draws it. Every field can be computed from the turns. */
export interface PositionView {
  ply: number;
  to_play: Seat;
  /** cell name: (player, kind of stone) */
  stones: Record<string, [Seat, number]>;
  /** cells of the last turn */
  last: string[];
  /** cells that the last turn cleared */
  captured: string[];
  /** cell name: a word for a stone with a special state */
  marks: Record<string, string>;
  scores: [number[], number[]];
  over: boolean;
  winner: Seat | null;
  /** an early end of the game; `over` is false if turns may still follow */
  early_end: EarlyEnd | null;
}

/** Why a message was refused that requested no acknowledgement. */
export interface Problem {
  v: 1;
  code: string;
  message: string;
}

export interface PuzzleDone {
  v: 1;
  ok: true;
  puzzle: PuzzleView;
  standing: PuzzleStanding;
  /** if the player has answered it before */
  solution: PuzzleSolution | null;
}

/** What the puzzle was about, once it is solved or given up. */
export interface PuzzleSolution {
  turn: string;
  /** how an engine goes on */
  line: string[];
  /** the solver's chance to win after the solution */
  chance: number;
  /** the same after the best other turn */
  second: number;
  /** codes; docs/puzzles.md explains them */
  themes: string[];
  /** other turns that are right as well */
  answers: string[];
}

/** How a player does at the puzzles of a game. */
export interface PuzzleStanding {
  rating: number;
  deviation: number;
  provisional: boolean;
  tried: number;
  solved: number;
  /** puzzles of the game that the player has not tried */
  left: number;
  /** days in a row, up to today, on which they solved a puzzle */
  streak: number;
  solved_today: boolean;
}

/** What became of an answer. `change` is what the first one did to the player's rating. */
export interface PuzzleTried {
  v: 1;
  ok: true;
  solved: boolean;
  change: number | null;
  standing: PuzzleStanding;
  /** null after a wrong turn */
  solution: PuzzleSolution | null;
}

/** A puzzle without its solution. `turns` replays from the start of the game. */
export interface PuzzleView {
  puzzle_id: string;
  game: string;
  board: string;
  rules: string;
  options: Record<string, string>;
  turns: string[];
  /** the player to move */
  solver: Seat;
  rating: number;
  /** how many players have answered it */
  tried: number;
  /** the day whose puzzle it is, in UTC */
  daily: string | null;
}

/** The player to move searches only after so many other searches; sent to both players. */
export interface Queue {
  v: 1;
  game_id: string;
  ply: number;
  before: number;
}

/**
 * Why a request was refused. `code` is for programs, `message` for people. `rule` names the game
 * rule that a turn breaks, or says more than the code: `account` if a rated game lacks an account.
 */
export interface Refusal {
  v: 1;
  ok: false;
  code: string;
  message: string;
  rule: string | null;
  /** milliseconds to wait before the same request is sent again, if known */
  retry_after_ms: number | null;
  /** a bot that has a place for the game that another bot has no place for */
  instead: string | null;
}

/** Replace the result of a game, as the host. `why` is shown with the result from then on. */
export interface ReplaceResult {
  /** version of the protocol */
  v: 1;
  tournament_id: string;
  game: number;
  winner: Seat | null;
  why: string;
}

/** A worker reports on its job, at least every five seconds. */
export interface ReportAnalysis {
  /** version of the protocol */
  v: 1;
  job_id: string;
  state: "working" | "done" | "failed";
  visits?: number | null;
  lines?: AnalysisLineSent[];
  message?: string | null;
}

/** Report the opponent to the operator, who gets the latest lines of the chat too. */
export interface ReportPlayer {
  /** version of the protocol */
  v: 1;
  game_id: string;
  reason: string;
}

/**
 * Say how many searches end before the one for the player's own turn begins. The server passes it
 * on to both players and stores nothing. 0 says that the search has begun.
 */
export interface ReportQueue {
  /** version of the protocol */
  v: 1;
  game_id: string;
  ply: number;
  before: number;
}

/**
 * The result of a game. `winner` is null in a draw, and in an aborted game, which does not count.
 */
export interface Result {
  winner: Seat | null;
  /**
   * played_out, resignation, draw_agreement, time_forfeit, abandonment, aborted; servers may add
   * others
   */
  reason: string;
  message: string;
  /** why a game that was offered as rated does not count: `no_turns` */
  unrated: string | null;
}

export interface ResumeTournament {
  /** version of the protocol */
  v: 1;
  tournament_id: string;
}

/**
 * Say something to the opponent: exactly one of a preset, a text, and `open`. A text is accepted
 * while both players have sent `open` with `true`; `false` closes it again.
 */
export interface SendChat {
  /** version of the protocol */
  v: 1;
  game_id: string;
  preset?:
    | "hello"
    | "good_luck"
    | "well_played"
    | "good_game"
    | "thanks"
    | "sorry"
    | "wait"
    | "bye"
    | null;
  text?: string | null;
  open?: boolean | null;
}

/** A rating as players see it. */
export interface ShownRating {
  rating: number;
  /** whether too few games are known for a leaderboard */
  provisional: boolean;
}

/**
 * Ask an engine to evaluate the position after `turns`. A player has one analysis at a time: a new
 * one replaces the former one.
 */
export interface StartAnalysis {
  /** version of the protocol */
  v: 1;
  /** an id of the client's choice; the events repeat it */
  request: string;
  setup: AnalysisSetupSent;
  turns: string[];
  effort?: "quick" | "normal" | "deep";
  /**
   * the player's own casual game against a bot, whose present position this is; the game counts its
   * hints
   */
  hint?: string | null;
}

export interface StartTournament {
  /** version of the protocol */
  v: 1;
  tournament_id: string;
}

/**
 * Notify this browser when it is the player's turn and the player is away. The fields are those of
 * the browser's `PushSubscription` (W3C Push API).
 */
export interface Subscribe {
  /** version of the protocol */
  v: 1;
  /** the address at the browser's push service */
  endpoint: string;
  /** the browser's public key, in base64url */
  p256dh: string;
  /** the secret that is shared with the browser, in base64url */
  auth: string;
  /** the language of the notifications */
  language?: string;
}

/** A worker asks for a job. The server waits about two seconds for one before it answers. */
export interface TakeAnalysis {
  /** version of the protocol */
  v: 1;
  engine?: string | null;
}

export interface TournamentBye {
  player: string;
  points: number;
}

export interface TournamentDone {
  v: 1;
  ok: true;
  tournament: TournamentState;
}

export interface TournamentEntrant {
  name: string;
  kind: "bot" | "person" | "guest";
  /** the strength that a bot declares */
  level: number | null;
  connected: boolean;
  /** whether a knockout continues without them */
  eliminated: boolean;
  /** why the player is out of the tournament; null if they are not */
  withdrawn: string | null;
}

/**
 * One game of a tournament, identified by its number. An `unplayed` game counts for neither player.
 * A void game is played again under the same number, and only the last result counts.
 */
export interface TournamentGame {
  number: number;
  seats: [string, string];
  /** index in the list of setups */
  setup: number;
  state: "waiting" | "playing" | "finished" | "unplayed";
  /** null before the game starts, and if it never starts */
  game_id: string | null;
  winner: Seat | null;
  /** how it ended */
  reason: string | null;
  message: string | null;
  /** why the host replaced the result */
  replaced: string | null;
  /** the result that was played, if the host replaced it */
  before: TournamentResult | null;
  /** how often the game was void */
  voids: number;
  /** why the game was void the last time */
  void_reason: string | null;
  /** a player who is not connected by then forfeits */
  due_by: string | null;
}

export interface TournamentPairing {
  number: number;
  players: [string, string];
  /** points of the games: 1, 0.5 or 0 for each */
  score: [number, number];
  games: TournamentGame[];
  /** why the rest of the pairing is not played */
  stopped: string | null;
}

/**
 * The tournament to which a game belongs, with the numbers of its pairing and game there. The first
 * `opening` turns of the game were given and took no time.
 */
export interface TournamentPlace {
  tournament_id: string;
  name: string;
  round: number;
  pairing: number;
  game: number;
  opening: number;
}

/** The result that was played, before the host replaced it. */
export interface TournamentResult {
  winner: Seat | null;
  reason: string;
  message: string;
}

export interface TournamentRound {
  number: number;
  pairings: TournamentPairing[];
  byes: TournamentBye[];
}

/** The settings of a tournament, with every default filled in. */
export interface TournamentSettings {
  name: string;
  /** the `kind` of the format, with the settings of that kind, such as `rounds` */
  format: Record<string, string>;
  /** games of one pairing, with alternating seats */
  games_per_pairing: number;
  /** with several setups: one after the other, or all of them in each pairing */
  mix: "rotate" | "all";
  /**
   * the first turns of games; each opening is played twice, with exchanged seats; or
   * `random:PLIES`; empty: games start without an opening
   */
  openings: string[][] | string;
  seed: number;
  /** in this order; empty: the usual ones of the format */
  tie_breaks: string[];
  /** pairs of players who are never paired */
  forbidden: [string, string][];
  admits: "bots" | "people" | "both";
  players: string[];
  /** the only bots that may enter; null: all bots that `admits` allows */
  bots: string[] | null;
  most_players: number;
  /** when registration opens; null: at once */
  opens_at: string | null;
  /** when registration closes; null: at the start */
  closes_at: string | null;
  /** null: when the host starts it */
  starts_at: string | null;
  /** a player may still enter while at most this many rounds have been paired */
  late_rounds: number;
  /** seconds between two rounds */
  pause_s: number;
  /**
   * seconds after the last game in which the host can correct results, unless the host ends the
   * tournament before
   */
  review_s: number;
  /** seconds after which a disconnected player forfeits a game that is due */
  no_show_s: number;
  /** a player who forfeits this many games in a row is withdrawn */
  no_shows: number;
  setups: GameSetup[];
}

/**
 * A row of the standings, ordered by points and tie-breaks. A knockout orders by rounds survived.
 */
export interface TournamentStanding {
  rank: number;
  player: string;
  /** points of the pairings, 1, 0.5 or 0 for each, and of byes */
  points: number;
  game_points: number;
  /** games that count, including forfeits */
  played: number;
  wins: number;
  draws: number;
  losses: number;
  /** in the order of the settings; null where a tie-break does not apply */
  tie_breaks: Record<string, number | null>;
}

/** Everything about one tournament. Of a long one, `rounds` has only the last rounds. */
export interface TournamentState {
  v: 1;
  tournament_id: string;
  /** increases with every change of this tournament */
  revision: number;
  host: Player;
  settings: TournamentSettings;
  state:
    | "waiting"
    | "open"
    | "closed"
    | "running"
    | "paused"
    | "played"
    | "ending"
    | "over"
    | "cancelled";
  /** whether a player may enter now, judged by time, rounds and room */
  is_open: boolean;
  /** why it is paused, ending, over or cancelled */
  why: string | null;
  /** the last round that was paired; 0 before the first */
  round: number;
  /** null if the number is not known */
  rounds_in_all: number | null;
  /** in the initial order */
  entrants: TournamentEntrant[];
  rounds: TournamentRound[];
  /** number of earlier rounds that are left out; HTTP has them */
  rounds_left_out: number;
  standings: TournamentStanding[];
  /** set during the pause between rounds */
  next_round_at: string | null;
  /** when the results become final; set while the state is `played` */
  final_at: string | null;
  created_at: string;
  server_time: string;
}

/** One tournament in a list. */
export interface TournamentSummary {
  tournament_id: string;
  name: string;
  /** its kind */
  format: string;
  host: string;
  state:
    | "waiting"
    | "open"
    | "closed"
    | "running"
    | "paused"
    | "played"
    | "ending"
    | "over"
    | "cancelled";
  /** whether a player may enter now, judged by time, rounds and room */
  is_open: boolean;
  /** why it is paused, ending, over or cancelled */
  why: string | null;
  admits: "bots" | "people" | "both";
  /** the names of the games that are played */
  games: string[];
  entrants: number;
  most_players: number;
  round: number;
  rounds_in_all: number | null;
  starts_at: string | null;
}

/** Answer a puzzle with a turn, or give up with null. The first answer counts for the rating. */
export interface TryPuzzle {
  /** version of the protocol */
  v: 1;
  puzzle_id: string;
  turn?: string | null;
}

export interface TurnDone {
  v: 1;
  ok: true;
  game_id: string;
  ply: number;
  /** whether the same turn was accepted before */
  duplicate: boolean;
}

/** An engine's evaluation of its turn. `value` is the mover's own chance to win. */
export interface TurnInfoSent {
  value?: number | null;
  visits?: number | null;
  /** the server keeps the first turns, up to 400 characters together */
  pv?: string[];
  /** engine, fallback, forced or person; opening for a turn that the setup gave */
  source?: string | null;
}

/** An engine's evaluation of its turn. `value` is the mover's own chance to win. */
export interface TurnInfo {
  value: number | null;
  visits: number | null;
  /** the server keeps the first turns, up to 400 characters together */
  pv: string[];
  /** engine, fallback, forced or person; opening for a turn that the setup gave */
  source: string | null;
}

/** Send no more notifications to this browser. */
export interface Unsubscribe {
  /** version of the protocol */
  v: 1;
  endpoint: string;
}

/** No clock. */
export interface UntimedSent {
  kind: "none";
}

/** No clock. */
export interface Untimed {
  kind: "none";
}

/**
 * A game of which the server still compiles a part, after an installation or an update. Without its
 * `rules` the game cannot be played yet. Without its `search`, bots on the arena's machine are not
 * ready to play it.
 */
export interface Warming {
  game: string;
  title: string;
  parts: ("rules" | "search")[];
}

/** Subscribe to a game's `game` events. A game's players get them without a request. */
export interface WatchGame {
  /** version of the protocol */
  v: 1;
  game_id: string;
  follow?: boolean;
}

/** Subscribe to a tournament's `tournament` events. */
export interface WatchTournament {
  /** version of the protocol */
  v: 1;
  tournament_id: string;
  follow?: boolean;
}

/** The first event of every connection: the client's identity, and all that concerns it. */
export interface Welcome {
  v: 1;
  you: Player;
  /** a guest stores it and returns with it as the same player */
  guest_key: string | null;
  server: string;
  server_time: string;
  /** running games in which the client plays */
  games: GameState[];
  /** open challenges that the client created, accepted or is named in */
  challenges: Challenge[];
  /** tournaments that are not over, if the client is entered or hosts them */
  tournaments: TournamentSummary[];
  /** whether the client may make tournaments */
  may_host: boolean;
  /** the server's key for the browser's `PushManager`; null: no notifications */
  push_key: string | null;
}

export interface WelcomeDone {
  v: 1;
  ok: true;
  welcome: Welcome;
}

/** Withdraw a player, as the host. A running game of theirs is played to its end. */
export interface WithdrawPlayer {
  /** version of the protocol */
  v: 1;
  tournament_id: string;
  player: string;
  why: string;
}

/** What a client may ask for, and how that is acknowledged. */
export interface ClientEvents {
  "challenge.create": { send: CreateChallenge; answer: ChallengeDone };
  "challenge.state": { send: AskChallenge; answer: ChallengeDone };
  "challenge.accept": { send: AcceptChallenge; answer: ChallengeDone };
  "challenge.decline": { send: DeclineChallenge; answer: Done };
  "challenge.cancel": { send: CancelChallenge; answer: Done };
  "game.turn": { send: PlayTurn; answer: TurnDone };
  "game.action": { send: GameAction; answer: GameDone };
  "game.watch": { send: WatchGame; answer: GameDone };
  "game.state": { send: AskGame; answer: GameDone };
  "game.position": { send: AskPosition; answer: PositionDone };
  "game.legal": { send: AskLegal; answer: LegalDone };
  "game.chat": { send: SendChat; answer: Done };
  "game.chats": { send: AskChat; answer: ChatDone };
  "game.report": { send: ReportPlayer; answer: Done };
  "game.plan": { send: PlanTurns; answer: PlanDone };
  "game.plans": { send: AskPlan; answer: PlanDone };
  "game.queue": { send: ReportQueue; answer: Done };
  "game.add": { send: AddGame; answer: GameAdded };
  "tournament.create": { send: CreateTournament; answer: TournamentDone };
  "tournament.enter": { send: EnterTournament; answer: TournamentDone };
  "tournament.leave": { send: LeaveTournament; answer: TournamentDone };
  "tournament.start": { send: StartTournament; answer: TournamentDone };
  "tournament.pause": { send: PauseTournament; answer: TournamentDone };
  "tournament.resume": { send: ResumeTournament; answer: TournamentDone };
  "tournament.withdraw": { send: WithdrawPlayer; answer: TournamentDone };
  "tournament.replace": { send: ReplaceResult; answer: TournamentDone };
  "tournament.end": { send: EndTournament; answer: TournamentDone };
  "tournament.watch": { send: WatchTournament; answer: TournamentDone };
  "puzzle.ask": { send: AskPuzzle; answer: PuzzleDone };
  "puzzle.try": { send: TryPuzzle; answer: PuzzleTried };
  "player.ignore": { send: IgnorePlayer; answer: IgnoredDone };
  "player.ignored": { send: AskIgnored; answer: IgnoredDone };
  "push.subscribe": { send: Subscribe; answer: Done };
  "push.unsubscribe": { send: Unsubscribe; answer: Done };
  "analysis.position": { send: AskAnyPosition; answer: PositionDone };
  "analysis.legal": { send: AskAnyLegal; answer: LegalDone };
  "analysis.start": { send: StartAnalysis; answer: AnalysisDone };
  "analysis.cancel": { send: CancelAnalysis; answer: Done };
  "analysis.game": { send: AskGameAnalysis; answer: GameAnalysisDone };
  "analysis.take": { send: TakeAnalysis; answer: AnalysisJobDone };
  "analysis.report": { send: ReportAnalysis; answer: AnalysisReportDone };
  "state": { send: AskState; answer: WelcomeDone };
}

/** What the server tells of its own accord. */
export interface ServerEvents {
  welcome: Welcome;
  lobby: Lobby;
  challenge: Challenge;
  game: GameState;
  change: GameChange;
  chat: Chat;
  queue: Queue;
  tournament: TournamentState;
  analysis: AnalysisState;
  game_analysis: GameAnalysis;
  problem: Problem;
}
