"""Tournaments on the arena: what hosts and players request."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import structlog

from bot import wire
from bot.arena.arena_clock import ArenaClock
from bot.arena.games.referee import Menu
from bot.arena.players.held_names import HeldNames
from bot.arena.players.hosts import Hosts
from bot.arena.refusals import Refused
from bot.arena.settings import TournamentLimits
from bot.arena.store.ids import new_id
from bot.arena.tournaments.tournament import HostedTournament
from bot.arena.tournaments.tournament_book import TournamentBook, first_revision
from bot.arena.tournaments.tournament_library import TournamentLibrary
from bot.arena.tournaments.tournament_openings import with_openings
from bot.arena.tournaments.tournament_runner import TournamentRunner, player_named
from bot.arena.tournaments.tournament_settings import check_can_begin, settled
from bot.arena.tournaments.tournament_store import TournamentStore
from bot.arena.tournaments.tournament_views import TournamentViews
from bot.runtime.workers import Workers
from bot.tournaments.events import Ended, Entered, Paused, Replaced, Resumed, Withdrew
from bot.tournaments.model import Entrant
from bot.tournaments.state import Tournament

log = structlog.get_logger()


class Tournaments:
    """Requests of hosts and players. Each changes one tournament, under its lock.

    They return the tournament after the change as JSON, which threads make. A repeated request
    changes nothing more. Requests raise Refused.
    """

    def __init__(
        self,
        book: TournamentBook,
        runner: TournamentRunner,
        views: TournamentViews,
        store: TournamentStore,
        hosts: Hosts,
        menu: Menu,
        limits: TournamentLimits,
        clock: ArenaClock,
        workers: Workers,
        library: TournamentLibrary,
    ) -> None:
        self._workers = workers
        self._library = library
        self._book = book
        self._runner = runner
        self._views = views
        self._store = store
        self._hosts = hosts
        self._menu = menu
        self._limits = limits
        self._clock = clock
        self._making = asyncio.Lock()
        self.names = HeldNames()
        self.reason = "is in a tournament that is not over"

    # ---- views -------------------------------------------------------------------------------

    def current(self) -> list[wire.TournamentSummary]:
        """The tournaments that are not over, the newest first."""
        return [self._views.summary(hosted) for hosted in reversed(self._book.current)]

    def of_player(self, player: wire.Player) -> list[wire.TournamentSummary]:
        """The tournaments that are not over in which the player plays, or which they host."""
        return [
            self._views.summary(hosted)
            for hosted in self._book.current
            if hosted.is_player(player.name) or hosted.host.id == player.id
        ]

    def binds(self, name: str) -> bool:
        """Return whether the player must keep this name, as an entrant or a host."""
        is_bound = self.names.binds(name)
        return is_bound or any(
            name in {*each.entrants, each.host.name} for each in self._book.current
        )

    # ---- requests of hosts -------------------------------------------------------------------

    async def create(self, player: wire.Player, message: wire.CreateTournament) -> bytes:
        """Create a tournament.

        Raises Refused if the player is not a host or the settings are invalid.
        """
        if not await self._hosts.look_up(player.id):
            raise Refused("not_a_host")
        self._check_room(player)
        settings = await self._workers.run(settled, self._menu, message.settings)
        settings = with_openings(settings, await self._runner.opening_lines(settings))
        async with self._making:
            tournament_id = await self._make(player, settings)
        return await self._library.newest(tournament_id)

    async def _make(self, player: wire.Player, settings: wire.TournamentSettings) -> str:
        self._check_room(player)
        hosted = HostedTournament(
            new_id(), player, settings, self._clock.wall(), first_revision(self._clock)
        )
        await self._store.create(hosted.tournament_id, player, settings)
        self._book.add(hosted)
        self._runner.look_after(hosted.tournament_id)
        log.info("tournament_made", tournament=hosted.tournament_id, host=player.name)
        return hosted.tournament_id

    def _check_room(self, player: wire.Player) -> None:
        held = sum(hosted.host.id == player.id for hosted in self._book.current)
        if held >= self._limits.tournaments:
            raise Refused("too_many", f"You host {held} tournaments already.")

    async def start(self, player: wire.Player, tournament_id: str) -> bytes:
        async with self._hosted_by(player, tournament_id) as hosted:
            if hosted.core is None:
                self._runner.check_open()
                check_can_begin(hosted.settings, list(hosted.entrants))
                openings = await self._runner.opening_lines(hosted.settings)
                await self._runner.begin(hosted, openings)
            return await self._library.encoded(hosted)

    async def pause(self, player: wire.Player, tournament_id: str, why: str) -> bytes:
        async with self._hosted_by(player, tournament_id) as hosted:
            core = _begun(hosted)
            if core.paused is None:
                await self._runner.note(hosted, [Paused(why=why)])
            return await self._library.encoded(hosted)

    async def resume(self, player: wire.Player, tournament_id: str) -> bytes:
        async with self._hosted_by(player, tournament_id) as hosted:
            core = _begun(hosted)
            if core.paused is not None:
                await self._runner.note(hosted, [Resumed()])
            return await self._library.encoded(hosted)

    async def withdraw(self, player: wire.Player, message: wire.WithdrawPlayer) -> bytes:
        async with self._hosted_by(player, message.tournament_id) as hosted:
            await self._take_out(hosted, player_named(hosted, message.player), message.why)
            return await self._library.encoded(hosted)

    async def replace(self, player: wire.Player, message: wire.ReplaceResult) -> bytes:
        """Replace the result of a game that is not being played."""
        async with self._hosted_by(player, message.tournament_id) as hosted:
            core = _begun(hosted)
            if message.game not in {game.number for game in core.games()}:
                raise Refused("unknown_number")
            if message.game in hosted.live:
                raise Refused("not_now", f"Game {message.game} is being played.")
            event = Replaced(game=message.game, winner=message.winner, why=message.why)
            await self._runner.note(hosted, [event])
            return await self._library.encoded(hosted)

    async def end(self, player: wire.Player, tournament_id: str, why: str) -> bytes:
        """End a tournament. Running games are played to their end, and count."""
        async with self._hosted_by(player, tournament_id) as hosted:
            await self._end(hosted, why)
            return await self._library.encoded(hosted)

    async def end_by_operator(self, tournament_id: str, why: str) -> str:
        """End a tournament as its host could; its name."""
        async with self._changing(tournament_id) as hosted:
            await self._end(hosted, why)
            return hosted.settings.name

    async def _end(self, hosted: HostedTournament, why: str) -> None:
        if hosted.core is None:
            await self._runner.close_down(hosted, "cancelled", why)
        elif hosted.core.ended is None:
            await self._runner.note(hosted, [hosted.ending() or Ended(why=why)])

    # ---- requests of players -----------------------------------------------------------------

    async def enter(self, player: wire.Player, tournament_id: str) -> bytes:
        """Enter a player. Raises Refused if the tournament does not admit them, or not now."""
        self.names.check(player.name)
        with self.names.bound([player.name]):
            return await self._enter(player, tournament_id)

    async def _enter(self, player: wire.Player, tournament_id: str) -> bytes:
        async with self._changing(tournament_id) as hosted:
            if not hosted.is_player(player.name):
                self._check_may_enter(hosted, player)
                await self._runner.check_rated(hosted.settings, player)
                late = [] if hosted.core is None else [Entered(entrant=Entrant(name=player.name))]
                number, first = hosted.entered, hosted.events
                await self._store.enter(tournament_id, number, player, first, late)
                hosted.entrants[player.name] = player
                hosted.entered += 1
                self._runner.count(hosted, late)
                log.info("tournament_entered", tournament=tournament_id, player=player.name)
            return await self._library.encoded(hosted)

    async def leave(self, player: wire.Player, tournament_id: str) -> bytes:
        async with self._changing(tournament_id) as hosted:
            if not hosted.is_player(player.name):
                raise Refused("not_entered", "You are not in the tournament.")
            await self._take_out(hosted, player, f"{player.name} withdrew.")
            return await self._library.encoded(hosted)

    async def release(self, player: wire.Player) -> None:
        """Take a player out of all tournaments that have not begun."""
        for each in [hosted for hosted in self._book.current if hosted.core is None]:
            if each.is_player(player.name):
                await self.leave(player, each.tournament_id)

    def _check_may_enter(self, hosted: HostedTournament, player: wire.Player) -> None:
        settings = hosted.settings
        if not hosted.takes_entrants(self._clock.wall()):
            raise Refused("registration_closed")
        if player.name in hosted.entrants:
            raise Refused("not_admitted", "A player who has withdrawn cannot enter again.")
        if player.kind == "guest":
            raise Refused("not_admitted", "Choose a name first: guests without one cannot enter.")
        if settings.admits == ("people" if player.kind == "bot" else "bots"):
            raise Refused("not_admitted", f"The tournament is for {settings.admits} only.")
        listed = {name.lower() for name in settings.players}
        if listed and player.name.lower() not in listed:
            raise Refused("not_admitted", "Only players on the host's list can enter.")
        bots = settings.bots
        is_kept_out = bots is not None and player.name.lower() not in {b.lower() for b in bots}
        if player.kind == "bot" and is_kept_out:
            raise Refused("not_admitted", "This bot is not among the bots that the host admits.")
        if hosted.is_full:
            raise Refused("too_many", "The tournament is full.")

    async def _take_out(self, hosted: HostedTournament, player: wire.Player, why: str) -> None:
        if hosted.core is None:
            await self._store.leave(hosted.tournament_id, player)
            del hosted.entrants[player.name]
            self._book.changed(hosted)
        else:
            await self._runner.note(hosted, [Withdrew(player=player.name, why=why)])

    # ---- both --------------------------------------------------------------------------------

    @asynccontextmanager
    async def _changing(self, tournament_id: str) -> AsyncIterator[HostedTournament]:
        """A tournament that is not over, under its lock. Raises Refused if it is over."""
        current = self._book.find_current(tournament_id)
        if current is None:
            hosted = await self._book.find(tournament_id)
            raise Refused("not_now", f"{hosted.settings.name} is over.")
        async with current.lock:
            if current.hosted.is_over:
                raise Refused("not_now", f"{current.hosted.settings.name} is over.")
            yield current.hosted
        self._runner.look_after(tournament_id)

    @asynccontextmanager
    async def _hosted_by(
        self, player: wire.Player, tournament_id: str
    ) -> AsyncIterator[HostedTournament]:
        """As `_changing`. Raises Refused if the player is not its host."""
        async with self._changing(tournament_id) as hosted:
            if hosted.host.id != player.id:
                raise Refused("not_a_host", f"The host of this tournament is {hosted.host.name}.")
            yield hosted


def _begun(hosted: HostedTournament) -> Tournament:
    """Return the state of a tournament that has started. Raises Refused if it has not."""
    if hosted.core is None:
        raise Refused("not_now", "The tournament has not started.")
    return hosted.core
