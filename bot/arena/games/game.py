"""One game on the arena as a pure state machine: each step returns a new `Game` or raises Refused.

Problem. Time ends games by itself: a clock runs out, a player stays disconnected, a first turn does
not come. A timer that fires late, a turn that arrives in the same moment, a paused process and a
restart must all give the same result, and tests must not wait.

Idea. Nothing here reads a clock or touches a disk. Callers pass `now`, seconds of one monotonic
clock. Two methods know about time:

- `deadline()` says at which moment time changes the game if nothing happens before.
- `settle(now)` returns the game after everything that time has changed by `now`. The result has the
  moment of the deadline, not `now`, so it does not matter how late the caller comes.

Callers run `settle(now)` before every step and set an alarm for `deadline()`. `now` of a turn is
the moment when it arrived, taken before any wait. So a turn that arrived in time counts even if it
waits beyond the deadline for the lock or the disk, and a turn that arrived late finds a game that
has ended.

What runs:

- Until both players have played, the first turns have an allowance instead of the clock, as on most
  servers. A player who misses it only aborts the game. Correspondence clocks run from the start.
- A person who begins against a bot has no limit for the first turn, because bots can wait.
- Without a clock, a bot waits for a person's turn for a day (`untimed_turn_s`), because its places
  are few.
- In a tournament games are not aborted: a player who does not begin in time loses. A tournament
  game may start with an opening; its turns are not first turns of the players.
- After a restart the clock is stopped (`thinking_since` is None) until `resume_at`, or until the
  player to move is connected.

Rejected:

- A timer in each game that ends it: it races with turns, needs a running event loop in tests, and
  its delay changes results.
- A tick that looks at all games every second: results depend on the tick, and the cost grows with
  the number of games.
- Wall time: it jumps when the system clock is set, and it runs while the server is down.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeVar

import engine
from bot import wire
from bot.arena.games import referee
from bot.arena.games.copies import replaced
from bot.arena.refusals import Refused
from bot.arena.settings import Allowances
from bot.records.model import early_end_words
from bot.time_controls import (
    Correspondence,
    PerTurn,
    PlayerClock,
    Untimed,
    charge,
    full_clock,
    run_down,
    time_left_ms,
)

T = TypeVar("T")
Pair = tuple[float | None, float | None]
Action = Literal["resign", "abort", "offer_draw", "accept_draw", "decline_draw"]
Ending = Literal["aborted", "abandonment", "time_forfeit"]
SEATS: tuple[wire.Seat, wire.Seat] = (1, 2)
FIRST_TURN_SHARE = 10
"""A first turn may take a tenth of the full clock if that is more than the allowance."""
DRAW_PAUSE_TURNS = 6
"""How many turns, of both players together, are played before a player offers a draw again."""


@dataclass(frozen=True)
class Game:
    """A game between two turns.

    - `thinking_since`: when the player to move started to think. None while the clock is stopped
      after a restart, until `resume_at` or until that player is connected.
    - `banked_ms`: the time that the player to move had used for this turn before `thinking_since`.
    - `away_since`: for each seat, since when the player has no connection.
    - `offered_at_ply`: for each seat, the ply of the last draw offer.
    - `takeback_offer`, `asked_at_ply`: the same for requests to take a turn back; see
      `bot.arena.games.takebacks`. `takebacks` counts how often turns were taken back.
    - `abort_offer`, `abort_offered_at_ply`: the same for offers to end the game without a result;
      see `bot.arena.games.abort_offers`.
    - `hints`: how often a person has asked an engine for a hint, in a casual game against a bot.
    - `spectators`: how many connections follow the game, without its players.
    - `revision` counts the stored changes, `sub_revision` the changes since then that were only
      announced. The service that stores or announces a change sets them.
    - `digest`: of all turns, for clients that receive changes.
    - `epoch`: how often the game has changed its owner, in an arena of several processes.
    """

    game_id: str
    setup: wire.GameSetup
    players: tuple[wire.Player, wire.Player]
    created_at: datetime
    allowances: Allowances
    position: engine.Position
    view: wire.PositionView
    clocks: tuple[PlayerClock, PlayerClock]
    thinking_since: float | None
    turns: tuple[wire.PlayedTurn, ...] = ()
    banked_ms: int = 0
    resume_at: float | None = None
    away_since: Pair = (None, None)
    draw_offer: wire.Seat | None = None
    offered_at_ply: tuple[int, int] = (-1, -1)
    takeback_offer: wire.Seat | None = None
    asked_at_ply: tuple[int, int] = (-1, -1)
    takebacks: int = 0
    abort_offer: wire.Seat | None = None
    abort_offered_at_ply: tuple[int, int] = (-1, -1)
    hints: int = 0
    spectators: int = 0
    result: wire.Result | None = None
    ended_at: datetime | None = None
    revision: int = 1
    sub_revision: int = 0
    digest: str = ""
    tournament: wire.TournamentPlace | None = None
    epoch: int = 0

    # ---- facts -----------------------------------------------------------------------------

    @property
    def to_play(self) -> wire.Seat:
        return self.view.to_play

    @property
    def ply(self) -> int:
        """The number of turns played, those of the opening included."""
        return len(self.turns)

    def seat_of(self, name: str) -> wire.Seat:
        """The seat of that player. Raises Refused if they do not play in this game."""
        for seat, player in zip(SEATS, self.players, strict=True):
            if player.name == name:
                return seat
        raise Refused("not_a_player")

    def name_of(self, seat: wire.Seat) -> str:
        return self.players[seat - 1].name

    @property
    def is_live(self) -> bool:
        """Whether the clock expects both players to stay until the end."""
        return not isinstance(self.setup.clock, Correspondence | Untimed)

    @property
    def opening_plies(self) -> int:
        """The number of turns of the opening, which no player chose."""
        return 0 if self.tournament is None else self.tournament.opening

    @property
    def in_first_turns(self) -> bool:
        """Whether the clock does not run yet, because not both players have played a turn."""
        return self.is_live and self.ply < self.opening_plies + len(SEATS)

    @property
    def waits_for_person(self) -> bool:
        """Whether the player to move is a person with a first turn against a bot: no limit."""
        return self.ply < len(SEATS) and self._is_bot_waiting

    @property
    def keeps_bot_waiting(self) -> bool:
        """Whether a bot waits for a person's turn in a game without a clock."""
        return isinstance(self.setup.clock, Untimed) and self._is_bot_waiting

    @property
    def _is_bot_waiting(self) -> bool:
        mover, opponent = self.players[self.to_play - 1], self.players[other(self.to_play) - 1]
        return self.tournament is None and mover.kind != "bot" and opponent.kind == "bot"

    def thought_ms(self, now: float) -> int:
        """How long the player to move has thought about this turn, in milliseconds."""
        if self.thinking_since is None:
            return self.banked_ms
        return self.banked_ms + max(0, round((now - self.thinking_since) * 1000))

    def clock_view(self, now: float) -> wire.ClockView:
        """Both clocks at `now`."""
        players, running, first_turn_ms = self.clocks, None, None
        if self.result is None and not self.waits_for_person:
            thought_ms = self.thought_ms(now)
            if self.in_first_turns:
                first_turn_ms = max(0, self._first_turn_ms() - thought_ms)
            else:
                clock = run_down(self.setup.clock, players[self.to_play - 1], thought_ms)
                players = at_seat(players, self.to_play, clock)
                is_stopped = self.thinking_since is None or isinstance(self.setup.clock, Untimed)
                running = None if is_stopped else self.to_play
        return wire.ClockView(
            players=players,
            running=running,
            first_turn_ms=first_turn_ms,
            away_ms=self._away_left_ms(now),
        )

    def _away_left_ms(self, now: float) -> int | None:
        """How long the player to move may still be disconnected; None means without limit."""
        limit_s, since = self._away_limit_s(), self.thinking_since
        if self.result is not None or limit_s is None:
            return None
        away = self.away_since[self.to_play - 1]
        away_s = 0.0 if away is None or since is None else max(0.0, now - max(since, away))
        return max(0, round((limit_s - away_s) * 1000))

    def _first_turn_ms(self) -> int:
        control = self.setup.clock
        least = round(self.allowances.first_turn_s * 1000)
        full = time_left_ms(control, full_clock(control)) or 0
        return max(least, full if isinstance(control, PerTurn) else full // FIRST_TURN_SHARE)

    # ---- turns and actions -----------------------------------------------------------------

    def is_repeated(self, seat: wire.Seat, ply: int, turn: str) -> bool:
        """Return whether this player already played this turn at that ply."""
        if not 0 <= ply < self.ply or SEATS[ply % 2] != seat:
            return False
        return self.turns[ply].turn == self.position.game.canonical(turn)

    def play(
        self, seat: wire.Seat, ply: int, turn: str, now: float, info: wire.TurnInfo | None = None
    ) -> "Game":
        """The game after a turn of the player to move, which arrived at `now`. Raises Refused."""
        self._check_running()
        if ply != self.ply:
            raise Refused("stale_ply", f"Ply {ply} cannot be played: the next ply is {self.ply}.")
        if seat != self.to_play:
            raise Refused("not_your_turn")
        position = referee.play(self.position, turn)
        view = referee.view(position)
        time_ms = self.thought_ms(now)
        clock = self.clocks[seat - 1]
        if not (self.in_first_turns or self.waits_for_person):
            clock = charge(self.setup.clock, clock, time_ms)
        played = wire.PlayedTurn(
            turn=position.turns[-1], captured=view.captured, time_ms=time_ms, clock=clock, info=info
        )
        game = replaced(
            self,
            position=position,
            view=view,
            turns=(*self.turns, played),
            digest=wire.digest_after(self.digest, [played]),
            clocks=at_seat(self.clocks, seat, clock),
            thinking_since=now,
            banked_ms=0,
            resume_at=None,
            draw_offer=self.draw_offer if self.draw_offer == seat else None,
            takeback_offer=None,
            abort_offer=None,
        )
        return game._played_out(now) if position.has_ended else game  # noqa: SLF001  (of the same class)

    def act(self, seat: wire.Seat, action: Action, now: float) -> "Game":
        """The game after an action that a player may take at any time. Raises Refused."""
        self._check_running()
        match action:
            case "resign":
                message = f"{self.name_of(seat)} resigned."
                return self._finished("resignation", other(seat), message, now)
            case "abort":
                return self._aborted_by(seat, now)
            case "offer_draw":
                return self._draw_offered_by(seat, now)
            case "accept_draw":
                self._check_offer_to(seat)
                return self._finished("draw_agreement", None, "Draw by agreement.", now)
            case "decline_draw":
                self._check_offer_to(seat)
                declined = at_seat(self.offered_at_ply, other(seat), self.ply)
                return replaced(self, draw_offer=None, offered_at_ply=declined)

    def aborted_by_operator(self, why: str, now: float) -> "Game":
        """The game without a result, whatever its turns; itself if it is over."""
        if self.result is not None:
            return self
        return self.aborted(f"The operator aborted the game: {why}", now)

    def aborted(self, message: str, now: float) -> "Game":
        """The game, ended without a result whatever its turns."""
        return self._finished("aborted", None, message, now)

    def _check_running(self) -> None:
        if self.result is not None:
            raise Refused("game_over", f"The game has ended: {self.result.message}")

    def _check_offer_to(self, seat: wire.Seat) -> None:
        if self.draw_offer != other(seat):
            raise Refused("no_draw_offer")

    def _aborted_by(self, seat: wire.Seat, now: float) -> "Game":
        if self.tournament is not None:
            raise Refused("tournament_game")
        if self.ply >= len(SEATS):
            raise Refused("too_late")
        return self.aborted(f"{self.name_of(seat)} aborted the game.", now)

    def _draw_offered_by(self, seat: wire.Seat, now: float) -> "Game":
        if self.draw_offer == seat:
            return self
        if self.draw_offer == other(seat):
            return self.act(seat, "accept_draw", now)
        offered_at = self.offered_at_ply[seat - 1]
        if offered_at >= 0 and (left := offered_at + DRAW_PAUSE_TURNS - self.ply) > 0:
            words = f"You may offer a draw again after {left} more turn{'s' if left > 1 else ''}."
            raise Refused("too_soon", words)
        offered = at_seat(self.offered_at_ply, seat, self.ply)
        return replaced(self, draw_offer=seat, offered_at_ply=offered)

    # ---- time ------------------------------------------------------------------------------

    def deadline(self) -> float | None:
        """When time changes the game if nothing happens before; None if it never does."""
        if self.result is not None:
            return None
        if self.thinking_since is None:
            return self.resume_at
        return min((at for at, _, _ in self._endings()), default=None)

    def settle(self, now: float) -> "Game":
        """Return the game after all changes by time up to `now`; itself if nothing has changed."""
        deadline = self.deadline()
        if deadline is None or deadline > now:
            return self
        if self.thinking_since is None:
            return self.resumed(deadline).settle(now)
        at, how, did = min(self._endings())
        winner = None if how == "aborted" else other(self.to_play)
        return self._finished(how, winner, f"{self.name_of(self.to_play)} {did}.", at)

    def _endings(self) -> list[tuple[float, Ending, str]]:
        """Return when and how the game ends if the player to move does nothing, and the cause in
        words.
        """
        endings: list[tuple[float, Ending, str]] = []
        since = self.thinking_since
        assert since is not None
        away = self.away_since[self.to_play - 1]
        may_abort = self.tournament is None and (self.in_first_turns or self.waits_for_person)
        left_ms, away_s = self._turn_limit_ms(), self._away_limit_s()
        if left_ms is not None:
            at = since + (left_ms - self.banked_ms) / 1000
            did = "did not play a first turn in time" if self.in_first_turns else "ran out of time"
            endings.append((at, "aborted" if may_abort else "time_forfeit", did))
        if away_s is not None and away is not None:
            at = max(since, away) + away_s
            endings.append((at, "aborted" if may_abort else "abandonment", "left the game"))
        if self.keeps_bot_waiting:
            at = since + self.allowances.untimed_turn_s - self.banked_ms / 1000
            did = "did not play a turn in time"
            endings.append((at, "aborted" if may_abort else "abandonment", did))
        return endings

    def _turn_limit_ms(self) -> int | None:
        """How long the player to move may think about this turn; None means without limit."""
        if self.waits_for_person:
            return None
        if self.in_first_turns:
            return self._first_turn_ms()
        return time_left_ms(self.setup.clock, self.clocks[self.to_play - 1])

    def _away_limit_s(self) -> float | None:
        """How long the player to move may be disconnected; None means without limit.

        A person without a limit for the first turn must not occupy a bot forever. In correspondence
        games they may be away for one full clock.
        """
        if self.is_live:
            return self.allowances.abandonment_s
        full_ms = time_left_ms(self.setup.clock, full_clock(self.setup.clock))
        return full_ms / 1000 if self.waits_for_person and full_ms is not None else None

    def resumed(self, now: float) -> "Game":
        """The game with its clock running again after a restart."""
        if self.thinking_since is not None:
            return self
        return replaced(self, thinking_since=now, resume_at=None)

    def connected(self, seat: wire.Seat, now: float) -> "Game":
        """The game after a player got a connection."""
        if self.result is not None or self.away_since[seat - 1] is None:
            return self
        game = replaced(self, away_since=at_seat(self.away_since, seat, None))
        return game.resumed(now) if seat == self.to_play else game

    def disconnected(self, seat: wire.Seat, now: float) -> "Game":
        """The game after a player lost the last connection."""
        if self.result is not None or self.away_since[seat - 1] is not None:
            return self
        return replaced(self, away_since=at_seat(self.away_since, seat, now))

    # ---- endings ---------------------------------------------------------------------------

    def _finished(
        self, reason: wire.ResultReason, winner: wire.Seat | None, message: str, now: float
    ) -> "Game":
        """The game with its result, and its clocks as they were at `now`."""
        is_empty = self.setup.rated and self.ply < self.opening_plies + len(SEATS)
        unrated = "no_turns" if is_empty and reason != "aborted" else None
        result = wire.Result(winner=winner, reason=reason, message=message, unrated=unrated)
        clocks = self.clock_view(now).players
        ended = replaced(self, result=result, clocks=clocks)
        return replaced(ended, draw_offer=None, takeback_offer=None, abort_offer=None)

    def _played_out(self, now: float) -> "Game":
        found, tally = self.position.final_winner, referee.tally(self.position)
        winner = None if found is None else referee.seat(found)
        outcome = "Draw" if winner is None else f"{self.name_of(winner)} wins"
        why = early_end_words(self.position, (self.name_of(1), self.name_of(2)))
        message = " ".join(filter(None, (f"{outcome}: {tally}.", why)))
        return self._finished("played_out", winner, message, now)


def other(seat: wire.Seat) -> wire.Seat:
    """The seat of the opponent."""
    return 2 if seat == 1 else 1


def at_seat(pair: tuple[T, T], seat: wire.Seat, value: T) -> tuple[T, T]:
    """The pair with the value of one seat replaced."""
    return (value, pair[1]) if seat == 1 else (pair[0], value)
