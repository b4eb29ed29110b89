"""The automatic steps of tournaments: start in time, pair, start games, store their results.

Each step is stored before it takes effect, and each step is repeatable: after a failure or a
restart the same step is due again.
"""

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from datetime import datetime
from typing import Final, NamedTuple

import structlog

from bot import wire
from bot.arena.arena_clock import ArenaClock
from bot.arena.games.all_games import AllGames
from bot.arena.games.archive import SOFTWARE
from bot.arena.lobby.game_starter import GameStarter
from bot.arena.metrics import ArenaMetrics
from bot.arena.players.presence import Presence
from bot.arena.refusals import UNAVAILABLE, Refused
from bot.arena.tournaments.tournament import HostedTournament, Stage, ended
from bot.arena.tournaments.tournament_book import CurrentTournament, TournamentBook, place_of
from bot.arena.tournaments.tournament_openings import opening_lines
from bot.arena.tournaments.tournament_settings import began, check_can_begin
from bot.arena.tournaments.tournament_store import TournamentStore
from bot.arena.tournaments.tournament_views import TournamentViews
from bot.runtime.alarms import Alarms
from bot.tournaments.events import Event, Voided
from bot.tournaments.model import ScheduledGame
from bot.tournaments.openings import Lines

AT_A_TIME: Final = 20
"""After this many steps the lock is released for others, such as the host's requests."""

WALL_S: Final = 5.0
"""How often the wall clock is read while something is due at a time of day."""

log = structlog.get_logger()


class _Moment(NamedTuple):
    """The time on the arena's clock and on the wall clock."""

    now: float
    wall: datetime


class TournamentRunner:
    """Runs a tournament's due steps after each event that may make one due."""

    def __init__(
        self,
        book: TournamentBook,
        store: TournamentStore,
        games: AllGames,
        starter: GameStarter,
        presence: Presence,
        views: TournamentViews,
        clock: ArenaClock,
        metrics: ArenaMetrics,
    ) -> None:
        self._metrics = metrics
        self._book = book
        self._store = store
        self._games = games
        self._starter = starter
        self._presence = presence
        self._views = views
        self._clock = clock
        self._alarms = Alarms(clock)

    async def close(self) -> None:
        await self._alarms.close()

    @property
    def alarm_failures(self) -> int:
        return self._alarms.failures

    # ---- what happens elsewhere --------------------------------------------------------------

    def everything_changed(self) -> None:
        for hosted in self._book.current:
            self.look_after(hosted.tournament_id)

    def player_came_or_left(self, name: str) -> None:
        for hosted in self._book.of_player(name):
            self.look_after(hosted.tournament_id)

    def game_ended(self, tournament_id: str | None, players: Iterable[str]) -> None:
        """Check the tournament of a game, and those in which its players can play now."""
        if tournament_id is not None:
            self.look_after(tournament_id)
        for name in players:
            self.player_came_or_left(name)

    def look_after(self, tournament_id: str) -> None:
        """Run the due steps of a tournament soon."""
        now = self._clock.monotonic()
        self._alarms.set((tournament_id, "now"), now, lambda: self._look_after(tournament_id))

    async def _look_after(self, tournament_id: str) -> None:
        current = self._book.find_current(tournament_id)
        if current is None or current.is_queued:
            return
        current.is_queued = True
        try:
            await current.lock.acquire()
        finally:
            current.is_queued = False
        try:
            await self._carry_on(current)
        finally:
            current.lock.release()

    # ---- under the lock of a tournament ------------------------------------------------------

    async def note(
        self, hosted: HostedTournament, events: Sequence[Event], stage: Stage | None = None
    ) -> None:
        """Store events, then apply them."""
        await self._store.note(hosted.tournament_id, hosted.events, events, stage)
        self.count(hosted, events)

    def count(self, hosted: HostedTournament, events: Sequence[Event]) -> None:
        """Apply stored events."""
        before = hosted.rounds
        for event in events:
            hosted.apply(event)
            _log(hosted, event)
        self._metrics.rounds.inc(max(0, hosted.rounds - before))
        self._book.changed(hosted)

    async def close_down(self, hosted: HostedTournament, stage: Stage, why: str) -> None:
        """End or cancel a tournament, with the reason."""
        phase: wire.TournamentPhase = "over" if stage == "over" else "cancelled"
        last = {"state": phase, "why": why, "is_open": False}
        summary = self._views.summary(hosted).model_copy(update=last)
        await self._store.close(hosted.tournament_id, stage, summary)
        hosted.stage, hosted.why = stage, why
        log.info("tournament_stage", tournament=hosted.tournament_id, stage=stage, why=why)
        self._book.changed(hosted)

    async def opening_lines(self, settings: wire.TournamentSettings) -> Lines:
        """Return the openings for these settings.

        Raises Refused if there can be none, or while the rules of a game are being compiled.
        """
        if settings.openings:
            for setup in settings.setups:
                self._starter.check_game(setup.game)
        # In a thread: making many takes a while, and turns must not wait for it.
        return await asyncio.to_thread(opening_lines, settings)

    async def check_rated(self, settings: wire.TournamentSettings, player: wire.Player) -> None:
        """Raises Refused if games of the tournament are rated and the player may not play such."""
        for setup in settings.setups:
            await self._starter.check_rated(setup, player)

    def check_open(self) -> None:
        """Raises Refused while no tournament may start, because of maintenance."""
        self._starter.check_open()

    async def begin(self, hosted: HostedTournament, openings: Lines) -> None:
        """Close registration; the first round is paired next."""
        entrants = list(hosted.entrants.values())
        first = began(hosted.settings, entrants, openings, SOFTWARE)
        await self.note(hosted, [first], "running")
        self.look_after(hosted.tournament_id)

    async def _carry_on(self, current: CurrentTournament) -> None:
        hosted = current.hosted
        if hosted.is_over:
            return
        looked = self._moment()
        if hosted.core is None:
            await self._begin_in_time(hosted, looked.wall)
        else:
            for _ in range(AT_A_TIME):
                looked = self._moment()
                if not (events := await self._due(hosted, looked.now)):
                    break
                await self.note(hosted, events)
            else:
                self.look_after(hosted.tournament_id)
            await self._begin_games(hosted)
            if hosted.core.ended is not None and not hosted.live:
                await self.close_down(hosted, "over", hosted.core.ended)
        self._book.changed(hosted, is_news=False)
        self._set_alarm(hosted, looked)

    async def _begin_in_time(self, hosted: HostedTournament, wall: datetime) -> None:
        starts_at = hosted.settings.starts_at
        if starts_at is None or wall < starts_at or self._starter.is_closed:
            return
        try:
            check_can_begin(hosted.settings, list(hosted.entrants))
            openings = await self.opening_lines(hosted.settings)
        except Refused as refused:
            if refused.code != UNAVAILABLE:  # otherwise it starts as soon as its rules are compiled
                await self.close_down(hosted, "cancelled", refused.message)
        else:
            await self.begin(hosted, openings)

    async def _due(self, hosted: HostedTournament, now: float) -> Sequence[Event]:
        """The events that are due now; called again until there are none."""
        if over := await self._games_over(hosted):
            return over
        if self._starter.is_closed:
            hosted.called.clear()  # no player can come to a game that may not start
            return []
        is_here = self._presence.is_here
        hosted.call(now, is_here)
        if forfeits := hosted.forfeits(now, is_here):
            return forfeits
        if withdrawals := hosted.withdrawals():
            return withdrawals
        if not hosted.is_going_on:
            return []
        hosted.time_rounds(now)
        if hosted.is_between_rounds(now) or hosted.is_in_review(now):
            return []
        assert hosted.core is not None
        assert hosted.director is not None
        # In a thread: pairing a large round takes a while, and turns must not wait for it.
        return await asyncio.to_thread(hosted.director.due, hosted.core, self._free(hosted))

    def _free(self, hosted: HostedTournament) -> list[str]:
        """Return the players who could start a game now."""
        assert hosted.core is not None
        busy = hosted.core.busy()
        players = [name for name in hosted.core.players if name not in busy]
        return [name for name in players if self._presence.is_here(name)]

    async def _games_over(self, hosted: HostedTournament) -> list[Event]:
        found: list[Event] = []
        for number, game_id in hosted.live.items():
            try:
                game = await self._games.ended(game_id)
            except Refused as refused:
                if refused.code != UNAVAILABLE:  # otherwise its rules are still being compiled
                    found.append(Voided(game=number, why=f"The game was lost: {refused.message}"))
            else:
                if game is not None:
                    found.append(ended(number, game))
        return found

    async def _begin_games(self, hosted: HostedTournament) -> None:
        """Start all due games at once, so that one transaction can store them."""
        with ExitStack() as places:
            games = [game for game in hosted.due_games() if self._can_begin(hosted, game, places)]
            begun = await asyncio.gather(
                *(self._begin(hosted, game) for game in games), return_exceptions=True
            )
        for outcome in begun:
            if isinstance(outcome, BaseException):
                raise outcome

    def _can_begin(self, hosted: HostedTournament, game: ScheduledGame, places: ExitStack) -> bool:
        """Return whether both players are connected and below their limits, and the game can be
        played. Then `places` holds their places.
        """
        players = [self._presence.player(name) for name in game.seats]
        present = [player for player in players if player is not None]
        if len(present) < len(players):
            return False
        try:
            self._starter.check_open()
            self._starter.check_disk()
            self._starter.check_game(hosted.settings.setups[game.setup].game)
            places.enter_context(self._starter.places(present))
        except Refused:
            return False
        return True

    async def _begin(self, hosted: HostedTournament, game: ScheduledGame) -> None:
        one, two = (self._presence.player(name) or hosted.entrants[name] for name in game.seats)
        setup = hosted.settings.setups[game.setup]
        seated = await self._starter.seated(setup, one), await self._starter.seated(setup, two)
        place = place_of(hosted, game.number)
        state = await self._games.start(setup, seated, place, game.opening)
        hosted.live[game.number] = state.game_id
        hosted.called.pop(game.number, None)

    # ---- time --------------------------------------------------------------------------------

    def _moment(self) -> _Moment:
        return _Moment(self._clock.monotonic(), self._clock.wall())

    def _set_alarm(self, hosted: HostedTournament, looked: _Moment) -> None:
        """Set the alarms for the next steps; one that became due since `looked` rings at once."""
        tournament_id = hosted.tournament_id
        due = None if hosted.is_over else hosted.next_moment(looked.now)
        if due is None:
            self._alarms.clear((tournament_id, "next"))
        else:
            self._alarms.set((tournament_id, "next"), due, lambda: self._look_after(tournament_id))
        time = None if hosted.is_over else _time_ahead(hosted, looked.wall)
        if time is None:
            self._alarms.clear((tournament_id, "wall"))
        else:
            self._watch_wall(tournament_id, time, looked)

    def _watch_wall(self, tournament_id: str, time: datetime, looked: _Moment) -> None:
        """Check the tournament at that time of day.

        The wall clock runs while the machine is suspended, and it can be set. So it is read again
        every few seconds.
        """

        async def ring() -> None:
            looked = self._moment()
            if looked.wall < time:
                self._watch_wall(tournament_id, time, looked)
            else:
                await self._look_after(tournament_id)

        left_s = (time - looked.wall).total_seconds()
        self._alarms.set((tournament_id, "wall"), looked.now + min(left_s, WALL_S), ring)


def _time_ahead(hosted: HostedTournament, wall: datetime) -> datetime | None:
    """The next time at which registration opens or closes, or the tournament starts."""
    settings = hosted.settings
    times = [settings.opens_at, settings.closes_at]
    if hosted.core is None:
        times.append(settings.starts_at)
    return min((time for time in times if time is not None and time > wall), default=None)


def _log(hosted: HostedTournament, event: Event) -> None:
    facts = event.model_dump(mode="json", include={"game", "player", "pairing", "result", "why"})
    kind = event.kind
    log.info("tournament_event", tournament=hosted.tournament_id, kind=kind, **facts)


def player_named(hosted: HostedTournament, name: str) -> wire.Player:
    """The entrant of that name, ignoring case. Raises Refused if the name is unknown."""
    for known, player in hosted.entrants.items():
        if known.lower() == name.lower() and hosted.is_player(known):
            return player
    raise Refused("not_entered", f"{name} is not in the tournament.")
