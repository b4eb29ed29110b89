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
  /** grows with every change of this game */
  revision: number;
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
  created_at: string;
}

/** Why a step cannot be chosen: a code of the rules, and a sentence. */
export interface Illegal {
  rule: string;
  message: string;
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
  pv?: string[];
  /** engine, fallback, forced or person */
  source?: string | null;
}

/** What an engine says of its turn; `value` is its own chance to win. */
export interface TurnInfo {
  value: number | null;
  visits: number | null;
  pv: string[];
  /** engine, fallback, forced or person */
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
}

export interface WelcomeDone {
  v: 1;
  ok: true;
  welcome: Welcome;
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
  "game.position": { send: AskPosition; answer: PositionDone };
  "game.legal": { send: AskLegal; answer: LegalDone };
  "state": { send: AskState; answer: WelcomeDone };
}

/** What the server tells of its own accord. */
export interface ServerEvents {
  welcome: Welcome;
  lobby: Lobby;
  challenge: Challenge;
  game: GameState;
  problem: Problem;
}
