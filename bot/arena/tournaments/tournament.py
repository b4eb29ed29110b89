"""A tournament that the arena hosts: registration, then the state that results from its events.

Nothing here reads a clock or touches a disk: callers pass `now`, seconds of the arena's clock.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal

from bot import wire
from bot.arena.games.game import Game
from bot.arena.tournaments.tournament_openings import lines_of
from bot.arena.tournaments.tournament_settings import (
    MOST_GAMES,
    TAKES_LATE,
    form_of,
    games_at_most,
    kind_of,
    schedule_of,
    spelled,
    too_long,
)
from bot.tournaments.director import Director
from bot.tournaments.events import Began, Ended, Entered, Event, Finished, Voided, Withdrew
from bot.tournaments.formats.base import Format
from bot.tournaments.formats.swiss import Swiss
from bot.tournaments.model import GameResult, Reason, ScheduledGame
from bot.tournaments.repeats import fingerprint
from bot.tournaments.state import Tournament

Stage = Literal["open", "running", "over", "cancelled"]
"""`open` until the tournament starts; `paused` and similar states follow from the events."""
REASONS: Final[dict[str, Reason]] = {
    "played_out": "played_out",
    "resignation": "resignation",
    "draw_agreement": "draw_agreement",
    "time_forfeit": "time_forfeit",
    "abandonment": "disconnect",
}
"""Reasons for the end of a game: the arena's, and the tournament's. Others make the game void."""
IsHere = Callable[[str], bool]


@dataclass
class HostedTournament:
    """A tournament on the arena; `core` is its state after the first event, None before it.

    - `live`: the ids of games that have started and whose end is not stored, by number.
    - `called`: since when games that are due wait for their players, by number.
    - `round_over_at`: when the last round ended, while the pause after it is timed.
    - `entered`: how many players have ever entered; `events`: how many events were applied.
    """

    tournament_id: str
    host: wire.Player
    settings: wire.TournamentSettings
    created_at: datetime
    revision: int
    stage: Stage = "open"
    entrants: dict[str, wire.Player] = field(default_factory=dict)
    entered: int = 0
    core: Tournament | None = None
    events: int = 0
    form: Format | None = None
    director: Director | None = None
    live: dict[int, str] = field(default_factory=dict)
    called: dict[int, float] = field(default_factory=dict)
    round_over_at: float | None = None
    played_at: float | None = None
    """When the last game ended, while the time for corrections is timed."""
    absences: Counter[str] = field(default_factory=Counter)
    """How many games in a row each player forfeited by absence."""
    why: str | None = None

    # ---- facts -----------------------------------------------------------------------------

    @property
    def is_over(self) -> bool:
        return self.stage in {"over", "cancelled"}

    @property
    def is_going_on(self) -> bool:
        """Whether games may start."""
        core = self.core
        return (
            self.stage == "running"
            and core is not None
            and core.paused is None
            and core.ended is None
        )

    @property
    def rounds(self) -> int:
        """How many rounds were paired."""
        return 0 if self.core is None else self.core.round

    @property
    def is_played(self) -> bool:
        """Whether all games are played and the host can still correct results."""
        return self.played_at is not None and self.is_going_on

    def phase(self, wall: datetime) -> wire.TournamentPhase:
        if self.stage == "open":
            return self._registration(wall)
        if self.stage == "running" and self.core is not None:
            if self.core.ended is not None:
                return "ending"
            if self.is_played:
                return "played"
            return "paused" if self.core.paused is not None else "running"
        return self.stage

    def _registration(self, wall: datetime) -> Literal["waiting", "open", "closed"]:
        """The phase of registration, by its times alone."""
        opens, closes = self.settings.opens_at, self.settings.closes_at
        if opens is not None and wall < opens:
            return "waiting"
        return "closed" if closes is not None and wall >= closes else "open"

    @property
    def is_full(self) -> bool:
        if len(self.entrants) >= self.settings.most_players:
            return True
        games = games_at_most(self.settings, len(self.entrants) + 1)
        return games is not None and games > MOST_GAMES

    def is_open(self, wall: datetime) -> bool:
        """Return whether players may enter now, by time, rounds and number of players."""
        return self.takes_entrants(wall) and not self.is_full

    def takes_entrants(self, wall: datetime) -> bool:
        """Return whether players may enter now, by time and rounds."""
        if self.is_over or self._registration(wall) != "open":
            return False
        return self.core is None or self._takes_late(self.core)

    def _takes_late(self, core: Tournament) -> bool:
        """Return whether players may enter after the start; not in the last round, without
        a game.
        """
        is_last = isinstance(self.form, Swiss) and core.round >= self.form.rounds
        return (
            kind_of(self.settings) in TAKES_LATE
            and core.ended is None
            and 0 < core.round <= self.settings.late_rounds
            and not is_last
        )

    def is_player(self, name: str) -> bool:
        """Return whether the player has entered and has not withdrawn."""
        is_out = self.core is not None and name in self.core.withdrawn
        return name in self.entrants and not is_out

    # ---- events ----------------------------------------------------------------------------

    def apply(self, event: Event) -> None:
        """Apply an event. Raises ImpossibleEvent if it contradicts the earlier ones."""
        if isinstance(event, Began):
            self.core = Tournament(event)
            self._settle_format(self.core)
            self.stage = "running"
        else:
            assert self.core is not None
            self.core.apply(event)
        if isinstance(event, Entered) and self.core is not None:
            self._settle_format(self.core)
        self.events += 1
        if isinstance(event, Finished | Voided):
            self.live.pop(event.game, None)
            self.called.pop(event.game, None)
        if isinstance(event, Finished):
            self._count_absences(event)

    def _settle_format(self, core: Tournament) -> None:
        """Make the format and the director for the present entrants, whose names they contain."""
        settings = spelled(self.settings, [each.name for each in core.entrants])
        self.form = form_of(settings, len(core.began.entrants))
        schedule = schedule_of(self.settings, lines_of(core.began))
        self.director = Director(self.form, schedule, too_long)

    def _count_absences(self, event: Finished) -> None:
        assert self.core is not None
        seats = self.core.played[event.game].scheduled.seats
        for seat, name in enumerate(seats, start=1):
            was_away = event.result.reason == "no_show" and event.result.winner != seat
            self.absences[name] = self.absences[name] + 1 if was_away else 0

    # ---- what is due -----------------------------------------------------------------------

    def due_games(self) -> Iterator[ScheduledGame]:
        """Yield games that can start as soon as their players are connected, at most one per
        player.
        """
        if not self.is_going_on:
            return
        assert self.core is not None
        waiting = self.core.waiting()
        busy = {name for game in waiting if game.number in self.live for name in game.seats}
        for game in waiting:
            if game.number not in self.live and busy.isdisjoint(game.seats):
                busy.update(game.seats)
                yield game

    def call(self, now: float, is_here: IsHere) -> None:
        """Store since when each due game waits for an absent player."""
        due = [game for game in self.due_games() if not all(map(is_here, game.seats))]
        self.called = {game.number: self.called.get(game.number, now) for game in due}

    def forfeits(self, now: float, is_here: IsHere) -> list[Event]:
        """Return results of games whose players did not come in time, or have withdrawn."""
        return [event for game in self.due_games() if (event := self._forfeit(game, now, is_here))]

    def _forfeit(self, game: ScheduledGame, now: float, is_here: IsHere) -> Event | None:
        assert self.core is not None
        out = [name for name in game.seats if name in self.core.withdrawn]
        if out:
            return no_show(game, out, "withdrew")
        since = self.called.get(game.number)
        if since is None or now < since + self.settings.no_show_s:
            return None
        away = [name for name in game.seats if not is_here(name)]
        return no_show(game, away, "did not come") if away else None

    def withdrawals(self) -> list[Event]:
        """Return withdrawals of players who forfeited too many games in a row."""
        if not self.is_going_on:
            return []
        assert self.core is not None
        most = self.settings.no_shows
        return [
            Withdrew(player=name, why=f"did not come to {most} games in a row")
            for name in self.core.players
            if self.absences[name] >= most
        ]

    def time_rounds(self, now: float) -> None:
        """Start the timers of the pause after a round and of the corrections, or stop them."""
        core, form = self.core, self.form
        if core is None or form is None:
            return
        is_played = form.is_over(core)
        is_between = core.round > 0 and core.is_round_complete() and not is_played
        self.round_over_at = _timer(self.round_over_at, is_between and self.settings.pause_s, now)
        self.played_at = _timer(self.played_at, is_played and self.settings.review_s, now)

    def is_between_rounds(self, now: float) -> bool:
        """Return whether the pause after a round is still running; see `time_rounds`."""
        since = self.round_over_at
        return since is not None and now < since + self.settings.pause_s

    def is_in_review(self, now: float) -> bool:
        """Return whether the host may still correct results before the end; see `time_rounds`."""
        since = self.played_at
        return since is not None and now < since + self.settings.review_s

    def ending(self) -> Ended | None:
        """The end as the format states it; None before all games are played."""
        if not self.is_played or self.core is None or self.director is None:
            return None
        return next((due for due in self.director.due(self.core) if isinstance(due, Ended)), None)

    def next_moment(self, now: float) -> float | None:
        """The next moment at which a waiting time ends; None if no waiting time runs."""
        moments = [since + self.settings.no_show_s for since in self.called.values()]
        if self.round_over_at is not None:
            moments.append(self.round_over_at + self.settings.pause_s)
        if self.played_at is not None:
            moments.append(self.played_at + self.settings.review_s)
        return min((moment for moment in moments if moment > now), default=None)


def _timer(since: float | None, runs: float, now: float) -> float | None:
    """Return when a timer was started, `now` if it was not; None if it does not run."""
    if not runs:
        return None
    return now if since is None else since


def no_show(game: ScheduledGame, away: Iterable[str], what: str) -> Finished:
    """The result of a game that was not played: a loss for each player who was away."""
    names = list(away)
    here = [seat for seat, name in enumerate(game.seats, start=1) if name not in names]
    winner = wire_seat(here[0]) if here else None
    message = f"{' and '.join(names)} {what}."
    result = GameResult(winner=winner, reason="no_show", message=message)
    return Finished(game=game.number, game_id="", result=result, plies=0, fingerprint="")


def wire_seat(seat: int) -> wire.Seat:
    return 1 if seat == 1 else 2


def ended(number: int, game: Game) -> Event:
    """Return the tournament's event for the end of a game."""
    assert game.result is not None
    reason = REASONS.get(game.result.reason)
    if reason is None:
        return Voided(game=number, why=game.result.message[:500] or game.result.reason)
    result = GameResult(winner=game.result.winner, reason=reason, message=game.result.message[:500])
    setup = game.setup
    return Finished(
        game=number,
        game_id=game.game_id,
        result=result,
        plies=game.ply,
        fingerprint=fingerprint(
            setup.game, setup.board, setup.rules, setup.options, [each.turn for each in game.turns]
        ),
    )
