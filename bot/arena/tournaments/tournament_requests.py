"""The requests about tournaments."""

from bot import wire
from bot.arena.answers import Answer, with_part
from bot.arena.http.costs import Cost
from bot.arena.request_table import Caller, Handler, Request
from bot.arena.tournaments.tournament_library import TournamentLibrary
from bot.arena.tournaments.tournament_service import Tournaments


def tournament_requests(tournaments: Tournaments, library: TournamentLibrary) -> list[Request]:
    """The requests that the process with the hall carries out."""
    handlers, cost = _TournamentRequests(tournaments, library), Cost(5)
    watching = Cost(5, is_question=True)
    orders: dict[str, Handler] = {
        "create": handlers.create,
        "enter": handlers.enter,
        "leave": handlers.leave,
        "start": handlers.start,
        "pause": handlers.pause,
        "resume": handlers.resume,
        "withdraw": handlers.withdraw,
        "replace": handlers.replace,
        "end": handlers.end,
    }
    return [
        *(Request(f"tournament.{name}", each, cost, writes=True) for name, each in orders.items()),
        Request("tournament.watch", handlers.watch, watching, may_repeat=True),
    ]


class _TournamentRequests:
    """What carries out each request."""

    def __init__(self, tournaments: Tournaments, library: TournamentLibrary) -> None:
        self._tournaments = tournaments
        self._library = library

    async def create(self, caller: Caller, message: wire.CreateTournament) -> Answer:
        return _done(await self._tournaments.create(caller.player, message))

    async def enter(self, caller: Caller, message: wire.EnterTournament) -> Answer:
        return _done(await self._tournaments.enter(caller.player, message.tournament_id))

    async def leave(self, caller: Caller, message: wire.LeaveTournament) -> Answer:
        return _done(await self._tournaments.leave(caller.player, message.tournament_id))

    async def start(self, caller: Caller, message: wire.StartTournament) -> Answer:
        return _done(await self._tournaments.start(caller.player, message.tournament_id))

    async def pause(self, caller: Caller, message: wire.PauseTournament) -> Answer:
        paused = self._tournaments.pause(caller.player, message.tournament_id, message.why)
        return _done(await paused)

    async def resume(self, caller: Caller, message: wire.ResumeTournament) -> Answer:
        return _done(await self._tournaments.resume(caller.player, message.tournament_id))

    async def withdraw(self, caller: Caller, message: wire.WithdrawPlayer) -> Answer:
        return _done(await self._tournaments.withdraw(caller.player, message))

    async def replace(self, caller: Caller, message: wire.ReplaceResult) -> Answer:
        return _done(await self._tournaments.replace(caller.player, message))

    async def end(self, caller: Caller, message: wire.EndTournament) -> Answer:
        ended = self._tournaments.end(caller.player, message.tournament_id, message.why)
        return _done(await ended)

    async def watch(self, _caller: Caller, message: wire.WatchTournament) -> Answer:
        return _done(await self._library.newest(message.tournament_id))


def _done(tournament: bytes) -> Answer:
    return with_part("tournament", tournament.decode())
