"""Requests about tournaments."""

from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Final

from bot import wire
from bot.arena.net.broadcast import Outbox, tournament_room
from bot.arena.net.clients import Client
from bot.arena.service.tournament_service import Tournaments

WATCHING_WEIGHT: Final = 5
"""How many requests one that is answered with a whole tournament counts as."""

EventHandler = Callable[[Client, Any, float], Coroutine[Any, Any, wire.Done]]


class TournamentRequests:
    """Handlers of the tournament requests, by the name of the event."""

    def __init__(self, tournaments: Tournaments, outbox: Outbox) -> None:
        self._tournaments = tournaments
        self._outbox = outbox
        self.handlers: Mapping[str, EventHandler] = {
            "tournament.create": self._create,
            "tournament.enter": self._enter,
            "tournament.leave": self._leave,
            "tournament.start": self._start,
            "tournament.pause": self._pause,
            "tournament.resume": self._resume,
            "tournament.withdraw": self._withdraw,
            "tournament.replace": self._replace,
            "tournament.end": self._end,
            "tournament.watch": self._watch,
        }

    async def _create(self, client: Client, message: wire.CreateTournament, _: float) -> wire.Done:
        return _done(await self._tournaments.create(client.player, message))

    async def _enter(self, client: Client, message: wire.EnterTournament, _: float) -> wire.Done:
        return _done(await self._tournaments.enter(client.player, message.tournament_id))

    async def _leave(self, client: Client, message: wire.LeaveTournament, _: float) -> wire.Done:
        return _done(await self._tournaments.leave(client.player, message.tournament_id))

    async def _start(self, client: Client, message: wire.StartTournament, _: float) -> wire.Done:
        return _done(await self._tournaments.start(client.player, message.tournament_id))

    async def _pause(self, client: Client, message: wire.PauseTournament, _: float) -> wire.Done:
        tournament_id = message.tournament_id
        return _done(await self._tournaments.pause(client.player, tournament_id, message.why))

    async def _resume(self, client: Client, message: wire.ResumeTournament, _: float) -> wire.Done:
        return _done(await self._tournaments.resume(client.player, message.tournament_id))

    async def _withdraw(self, client: Client, message: wire.WithdrawPlayer, _: float) -> wire.Done:
        return _done(await self._tournaments.withdraw(client.player, message))

    async def _replace(self, client: Client, message: wire.ReplaceResult, _: float) -> wire.Done:
        return _done(await self._tournaments.replace(client.player, message))

    async def _end(self, client: Client, message: wire.EndTournament, _: float) -> wire.Done:
        tournament_id = message.tournament_id
        return _done(await self._tournaments.end(client.player, tournament_id, message.why))

    async def _watch(self, client: Client, message: wire.WatchTournament, _: float) -> wire.Done:
        client.check_weight(WATCHING_WEIGHT)
        # The connection follows before the state is read, so that it misses no change in between.
        await self._tournaments.state(message.tournament_id)
        room = tournament_room(message.tournament_id)
        if message.follow:
            self._outbox.follow(client.connection, room)
        else:
            self._outbox.leave(client.connection, room)
        return _done(await self._tournaments.state(message.tournament_id))


def _done(tournament: wire.TournamentState) -> wire.Done:
    return wire.TournamentDone.model_construct(v=wire.VERSION, ok=True, tournament=tournament)
