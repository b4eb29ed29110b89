/**
 * The messages of the arena protocol; docs/arena-protocol.md explains them. Written by
 * `python -m tests.wire_types` from bot/wire.
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

/** Ask for the whole state of a game. */
export interface AskGame {
  /** version of the protocol */
  v: 1;
  game_id: string;
}

/**
 * Which steps the player to move may choose now, after those in `chosen`. With `ply` the answer is
 * about that ply, or a refusal if another is next. A step is a cell; where players own several
 * kinds of stones, the digit of the kind before it.
 */
export interface AskLegal {
  /** version of the protocol */
  v: 1;
  game_id: string;
  ply?: number | null;
  chosen?: string[];
}

/** The position after `ply` turns of a game; null for the last one. */
export interface AskPosition {
  /** version of the protocol */
  v: 1;
  game_id: string;
  ply?: number | null;
}

/** Ask for the `Welcome` again: everything that concerns this client. */
export interface AskState {
  /** version of the protocol */
  v: 1;
}

/** `main_s`, then `periods` periods; a turn within a period keeps the period (Japanese). */
export interface ByoYomi {
  kind: "byoyomi";
  main_s: number;
  period_s: number;
  periods: number;
}

export interface CancelChallenge {
  /** version of the protocol */
  v: 1;
  challenge_id: string;
}

/** Sent to everybody concerned at each change; gone from `Lobby` once not `open`. */
export interface Challenge {
  v: 1;
  challenge_id: string;
  creator: Player;
  setup: GameSetup;
  seats: [string | null, string | null];
  random_seats: boolean;
  /** those who agreed so far, the creator if seated */
  accepted: string[];
  state: "open" | "started" | "declined" | "cancelled" | "expired";
  /** why it ended: the decliner's word, or one of the server's */
  code: string | null;
  message: string | null;
  /** the game that it became */
  game_id: string | null;
  created_at: string;
  expires_at: string;
}

export interface ChallengeDone {
  v: 1;
  ok: true;
  challenge: Challenge;
}

/** Both clocks at the moment `GameState.server_time`, the running one already run down. */
export interface ClockView {
  players: [PlayerClock, PlayerClock];
  running: Seat | null;
  /** while no clock runs yet: how long the player to move has for a first turn */
  first_turn_ms: number | null;
  /**
   * how long the player to move may be disconnected before the game ends; it runs down while they
   * are; null: without limit
   */
  away_ms: number | null;
}

/** Fischer in days: never more than `maximum_s` on the clock. */
export interface Correspondence {
  kind: "correspondence";
  initial_s: number;
  increment_s: number;
  maximum_s: number;
}

/**
 * Offer a game. A seat names its player; `null` is open to anybody; both seats may name others, who
 * then both have to accept (a person who wants to watch two bots). `random_seats` lets the server
 * draw who has which seat when the game begins.
 */
export interface CreateChallenge {
  /** version of the protocol */
  v: 1;
  setup: OfferedSetup;
  seats: [string | null, string | null];
  random_seats?: boolean;
}

/** Make a tournament; only hosts may. */
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
  /** the name that a guest would like */
  name?: string | null;
  /** what a bot plays with, for people to see */
  engine?: string | null;
  /** how strong a bot plays, from 1 to 10 */
  level?: number | null;
  /** `new`: events `change` instead of whole games while they are played */
  events?: "new" | null;
}

/** Turn a challenge down, with a code for programs and a sentence for people. */
export interface DeclineChallenge {
  /** version of the protocol */
  v: 1;
  challenge_id: string;
  code: string;
  message: string;
}

/** The request was carried out, and is on the disk. */
export interface Done {
  v: 1;
  ok: true;
}

/** Pair nothing more and begin no game; before the beginning, cancel. */
export interface EndTournament {
  /** version of the protocol */
  v: 1;
  tournament_id: string;
  why: string;
}

/** Register: from then on the server starts games for this player without asking again. */
export interface EnterTournament {
  /** version of the protocol */
  v: 1;
  tournament_id: string;
}

/** `initial_s` for the game, and `increment_s` more after each turn. */
export interface Fischer {
  kind: "fischer";
  initial_s: number;
  increment_s: number;
}

/** Resign, abort (before both have played), or offer, accept, decline a draw. */
export interface GameAction {
  /** version of the protocol */
  v: 1;
  game_id: string;
  action: "resign" | "abort" | "offer_draw" | "accept_draw" | "decline_draw";
}

/**
 * What is new in a running game. `follows` is the digest of the state that it applies to. `turn`
 * and `position` are null if no turn was played; everything else is as in `GameState`.
 */
export interface GameChange {
  v: 1;
  game_id: string;
  revision: number;
  sub_revision: number;
  /** how many turns there are now */
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
  server_time: string;
}

export interface GameDone {
  v: 1;
  ok: true;
  game: GameState;
}

/** What is played; options that are not listed are at their default on that board. */
export interface GameSetup {
  game: string;
  board: string;
  rules: string;
  options: Record<string, string>;
  clock: Fischer | ByoYomi | PerTurn | Absolute | Correspondence | Untimed;
  rated: boolean;
}

/** Everything about one game. `turns` is the truth: a client replays it every time. */
export interface GameState {
  v: 1;
  game_id: string;
  /** grows by one with every change that is stored */
  revision: number;
  /** counts later changes that are not stored: connections, standing clocks */
  sub_revision: number;
  /** of `turns`: another digest means other turns */
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
  result: Result | null;
  /** where it belongs, if anywhere */
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
  /** null while it is played */
  ended_at: string | null;
}

/** Why a step cannot be chosen: a code of the rules, and a sentence. */
export interface Illegal {
  rule: string;
  message: string;
}

/** Take one's registration back; after the beginning, withdraw. */
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
  /** steps that may be chosen */
  legal: string[];
  /** every other step, and why not */
  illegal: Record<string, Illegal>;
  /** what is chosen is a legal turn as it stands */
  complete: boolean;
  /** the turn may be a pass; false once a stone is chosen */
  may_pass: boolean;
  /** cells that what is chosen would clear */
  captured: string[];
}

/** What people see on the front page; sent to everybody when it changes. */
export interface Lobby {
  v: 1;
  revision: number;
  /** those connected now */
  players: Player[];
  challenges: Challenge[];
  /** running games, then the latest finished ones */
  games: GameSummary[];
  /** games not quite ready yet */
  warming: Warming[];
  /** those that are running or to come */
  tournaments: TournamentSummary[];
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
 * What a player would like to play. Board, rules and options that are left out are at the game's
 * own default. A `GameSetup` that the server has sent may be sent as it is.
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

/** A tournament as a host asks for it. */
export interface OfferedTournament {
  name: string;
  /** its `kind`, and what formats of that kind may be told, such as `rounds` */
  format?: Record<string, number | string>;
  /** with changing seats */
  games_per_pairing?: number;
  /** several setups: one after the other, or all in each pairing */
  mix?: "rotate" | "all";
  /**
   * turns that games begin with, two from each opening with the seats changed; or `random:PLIES`;
   * none: from the start
   */
  openings?: string[][] | string;
  seed?: number;
  /** in their order; none: those usual for the format */
  tie_breaks?: string[];
  /** pairs of players who never meet */
  forbidden?: [string, string][];
  admits?: "bots" | "people" | "both";
  players?: string[];
  /** the only bots that may enter; null: all that are admitted */
  bots?: string[] | null;
  most_players?: number;
  /** when registration opens; null: at once */
  opens_at?: string | null;
  /** null: with the start */
  closes_at?: string | null;
  /** null: when the host says */
  starts_at?: string | null;
  /** so many rounds may have been paired when somebody still enters */
  late_rounds?: number;
  /** between two rounds */
  pause_s?: number;
  /**
   * after the last game the host can correct results for this time, unless they end the tournament
   * before
   */
  review_s?: number;
  /** who is not there so long after a game was due forfeits it */
  no_show_s?: number;
  /** who forfeits so many games in a row is withdrawn */
  no_shows?: number;
  setups: OfferedTournamentSetup[];
}

/** As in a challenge, but for the `clock`, which may be a text such as "60+1" too. */
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

/** Let running games end and begin no others. */
export interface PauseTournament {
  /** version of the protocol */
  v: 1;
  tournament_id: string;
  why?: string;
}

/** `turn_s` for every turn; what is not used is lost. */
export interface PerTurn {
  kind: "per_turn";
  turn_s: number;
}

/**
 * Play `turn` as ply `ply` (0 for the first turn of the game). Sending the same ply and turn again
 * is answered like the first time.
 */
export interface PlayTurn {
  /** version of the protocol */
  v: 1;
  game_id: string;
  ply: number;
  turn: string;
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

/** Somebody who can sit in a game. `name` is unique on the server and may change; `id` stays. */
export interface Player {
  /** null only from servers that knew none yet */
  id: string | null;
  name: string;
  kind: "bot" | "person" | "guest";
  engine: string | null;
  /** of a bot that says how strong it plays */
  level: number | null;
}

/**
 * One player's clock: `main_ms` left, and byo-yomi periods left. `main_ms` is None in an untimed
 * game. `period_used_ms` is what a running turn has used of its byo-yomi period, 0 between turns. A
 * clock that ran out has `flagged` set.
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
  /** cell: (player, kind of stone) */
  placed: Record<string, [Seat, number]>;
  /** cells that are empty now, without `turn.captured` */
  removed: string[];
  /** cell: its new word; null where it is gone */
  marks: Record<string, string | null>;
  /** cells of the turn */
  last: string[];
  scores: [number[], number[]];
  over: boolean;
  winner: Seat | null;
}

export interface PositionDone {
  v: 1;
  ok: true;
  position: PositionView;
}

/** A position as a page draws it; every field can be derived from the turns. */
export interface PositionView {
  ply: number;
  to_play: Seat;
  /** cell: (player, kind of stone) */
  stones: Record<string, [Seat, number]>;
  /** cells of the last turn */
  last: string[];
  /** cells that the last turn cleared */
  captured: string[];
  /** cell: a word on the stone there that needs one */
  marks: Record<string, string>;
  scores: [number[], number[]];
  over: boolean;
  winner: Seat | null;
}

/** A message that could not even be acknowledged. */
export interface Problem {
  v: 1;
  code: string;
  message: string;
}

/** `code` is for programs, `message` for people; `rule` names the broken rule of the game. */
export interface Refusal {
  v: 1;
  ok: false;
  code: string;
  message: string;
  rule: string | null;
  /** when the same may be tried again, where the server knows */
  retry_after_ms: number | null;
}

/** Put a result in place of what a game came to; `why` is shown beside it for ever. */
export interface ReplaceResult {
  /** version of the protocol */
  v: 1;
  tournament_id: string;
  game: number;
  winner: Seat | null;
  why: string;
}

/** `winner` is null in a draw and in an aborted game, which counts for nobody. */
export interface Result {
  winner: Seat | null;
  /**
   * played_out, resignation, draw_agreement, time_forfeit, abandonment, aborted; others may be
   * added
   */
  reason: string;
  message: string;
}

export interface ResumeTournament {
  /** version of the protocol */
  v: 1;
  tournament_id: string;
}

export interface StartTournament {
  /** version of the protocol */
  v: 1;
  tournament_id: string;
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
  /** of a bot that says how strong it plays */
  level: number | null;
  connected: boolean;
  /** whether a knockout goes on without them */
  eliminated: boolean;
  /** why, if they are out of it */
  withdrawn: string | null;
}

/**
 * A game by its number. `unplayed` games count nothing for either player; one that was void is
 * played again under its number, and counts as it ended at last.
 */
export interface TournamentGame {
  number: number;
  seats: [string, string];
  /** a place in the list of setups */
  setup: number;
  state: "waiting" | "playing" | "finished" | "unplayed";
  /** null before it begins, and if it never does */
  game_id: string | null;
  winner: Seat | null;
  /** how it ended */
  reason: string | null;
  message: string | null;
  /** why the host replaced the result */
  replaced: string | null;
  /** what it came to when it was played, if the host replaced that */
  before: TournamentResult | null;
  /** so often it counted for nothing */
  voids: number;
  /** why it did so last */
  void_reason: string | null;
  /** who is not there by then forfeits */
  due_by: string | null;
}

export interface TournamentPairing {
  number: number;
  players: [string, string];
  /** points in games: 1, 0.5 or 0 for each */
  score: [number, number];
  games: TournamentGame[];
  /** why what is left of it is not played */
  stopped: string | null;
}

/**
 * Where a game belongs: `pairing` and `game` are numbers in that tournament. The first `opening`
 * turns of the game were given, and nobody's time.
 */
export interface TournamentPlace {
  tournament_id: string;
  name: string;
  round: number;
  pairing: number;
  game: number;
  opening: number;
}

/** What a game came to, before its host put something else in place of that. */
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

/** A tournament as it is played, with everything said. */
export interface TournamentSettings {
  name: string;
  /** its `kind`, and what formats of that kind may be told, such as `rounds` */
  format: Record<string, string>;
  /** with changing seats */
  games_per_pairing: number;
  /** several setups: one after the other, or all in each pairing */
  mix: "rotate" | "all";
  /**
   * turns that games begin with, two from each opening with the seats changed; or `random:PLIES`;
   * none: from the start
   */
  openings: string[][] | string;
  seed: number;
  /** in their order; none: those usual for the format */
  tie_breaks: string[];
  /** pairs of players who never meet */
  forbidden: [string, string][];
  admits: "bots" | "people" | "both";
  players: string[];
  /** the only bots that may enter; null: all that are admitted */
  bots: string[] | null;
  most_players: number;
  /** when registration opens; null: at once */
  opens_at: string | null;
  /** null: with the start */
  closes_at: string | null;
  /** null: when the host says */
  starts_at: string | null;
  /** so many rounds may have been paired when somebody still enters */
  late_rounds: number;
  /** between two rounds */
  pause_s: number;
  /**
   * after the last game the host can correct results for this time, unless they end the tournament
   * before
   */
  review_s: number;
  /** who is not there so long after a game was due forfeits it */
  no_show_s: number;
  /** who forfeits so many games in a row is withdrawn */
  no_shows: number;
  setups: GameSetup[];
}

/** A row: by points and what breaks ties, or in a knockout by how far players came. */
export interface TournamentStanding {
  rank: number;
  player: string;
  /** of pairings: 1, 0.5 or 0 for each, and those of byes */
  points: number;
  game_points: number;
  /** games that count, forfeits among them */
  played: number;
  wins: number;
  draws: number;
  losses: number;
  /** in their order; null where one does not apply */
  tie_breaks: Record<string, number | null>;
}

/** Everything about one tournament; of a long one `rounds` holds the last ones. */
export interface TournamentState {
  v: 1;
  tournament_id: string;
  /** grows with every change of this tournament */
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
  /** whether somebody may enter now, as far as time, rounds and room go */
  is_open: boolean;
  /** why it is paused, ending, over or cancelled */
  why: string | null;
  /** the last one that was paired, 0 before the first */
  round: number;
  /** null where that is not known */
  rounds_in_all: number | null;
  /** in the initial order */
  entrants: TournamentEntrant[];
  rounds: TournamentRound[];
  /** so many before these; HTTP has them */
  rounds_left_out: number;
  standings: TournamentStanding[];
  /** during the pause between rounds */
  next_round_at: string | null;
  /** while it is `played`: when the results become final */
  final_at: string | null;
  created_at: string;
  server_time: string;
}

/** One line of a list. */
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
  /** whether somebody may enter now, as far as time, rounds and room go */
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

export interface TurnDone {
  v: 1;
  ok: true;
  game_id: string;
  ply: number;
  /** this very turn had been accepted before */
  duplicate: boolean;
}

/** What an engine says of its turn; `value` is its own chance to win. */
export interface TurnInfoSent {
  value?: number | null;
  visits?: number | null;
  /** the first turns that have 400 characters together are kept */
  pv?: string[];
  /** engine, fallback, forced, person, or opening where the turn was given */
  source?: string | null;
}

/** What an engine says of its turn; `value` is its own chance to win. */
export interface TurnInfo {
  value: number | null;
  visits: number | null;
  /** the first turns that have 400 characters together are kept */
  pv: string[];
  /** engine, fallback, forced, person, or opening where the turn was given */
  source: string | null;
}

/** No clock at all. */
export interface UntimedSent {
  kind: "none";
}

/** No clock at all. */
export interface Untimed {
  kind: "none";
}

/**
 * A game of which something is still being compiled, after an installation or an update. Without
 * its `rules` it cannot be played yet; without its `search`, bots on the arena's machine are not
 * ready for it.
 */
export interface Warming {
  game: string;
  title: string;
  parts: ("rules" | "search")[];
}

/** Follow a game's `game` events; players of a game follow it anyway. */
export interface WatchGame {
  /** version of the protocol */
  v: 1;
  game_id: string;
  follow?: boolean;
}

/** Follow a tournament's `tournament` events. */
export interface WatchTournament {
  /** version of the protocol */
  v: 1;
  tournament_id: string;
  follow?: boolean;
}

/** The first event of every connection: who the client is and all that concerns it. */
export interface Welcome {
  v: 1;
  you: Player;
  /** a guest keeps it to come back as itself */
  guest_key: string | null;
  server: string;
  server_time: string;
  /** running games in which the client sits */
  games: GameState[];
  /** open challenges that await or are the client's */
  challenges: Challenge[];
  /** those not over in which the client is entered, or which it hosts */
  tournaments: TournamentSummary[];
  /** whether it may make tournaments */
  may_host: boolean;
}

export interface WelcomeDone {
  v: 1;
  ok: true;
  welcome: Welcome;
}

/** The host takes a player out; a game of theirs that runs is played to its end. */
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
  "challenge.accept": { send: AcceptChallenge; answer: ChallengeDone };
  "challenge.decline": { send: DeclineChallenge; answer: Done };
  "challenge.cancel": { send: CancelChallenge; answer: Done };
  "game.turn": { send: PlayTurn; answer: TurnDone };
  "game.action": { send: GameAction; answer: GameDone };
  "game.watch": { send: WatchGame; answer: GameDone };
  "game.state": { send: AskGame; answer: GameDone };
  "game.position": { send: AskPosition; answer: PositionDone };
  "game.legal": { send: AskLegal; answer: LegalDone };
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
  "state": { send: AskState; answer: WelcomeDone };
}

/** What the server tells of its own accord. */
export interface ServerEvents {
  welcome: Welcome;
  lobby: Lobby;
  challenge: Challenge;
  game: GameState;
  change: GameChange;
  tournament: TournamentState;
  problem: Problem;
}
