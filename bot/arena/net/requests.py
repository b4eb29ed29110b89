"""Requests of clients: each event is executed or refused, and acknowledged."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Final

import structlog
from pydantic import BaseModel

from bot import wire
from bot.arena.metrics import ArenaMetrics
from bot.arena.model import referee
from bot.arena.model.refusals import ANSWER_S, RATE_LIMITED, UNAVAILABLE, Refused, unavailable
from bot.arena.net.broadcast import Outbox
from bot.arena.net.clients import Client, Clients
from bot.arena.net.socket_io import Acknowledge, Incoming, checked
from bot.arena.service.announcer import game_room, tournament_room
from bot.arena.service.operations import Encoded, Performer
from bot.time_source import TimeSource

WRITING: Final = frozenset(
    {"challenge.accept", "game.turn", "game.action", "game.chat", "game.report"}
) | frozenset(event for event in wire.CLIENT_EVENTS if event.startswith("tournament.")) - {
    "tournament.watch"
}
"""Requests that are answered after they are on the disk."""
UNLOGGED: Final = frozenset({RATE_LIMITED, UNAVAILABLE})
"""Refusals that are not logged, because there can be a flood of them."""
LARGE_BOARD_CELLS: Final = 100
LARGE_BOARD_WEIGHT: Final = 4
"""How many requests a `game.legal` on a large or unbounded board counts as."""
POSITION_WEIGHT: Final = 2
"""How many requests a position of an analysis board counts as."""
WATCHING_WEIGHT: Final = 5
"""How many requests one that is answered with a whole tournament counts as."""

log = structlog.get_logger()

Reply = Callable[[wire.Done | Encoded | wire.Refusal], None]
EventHandler = Callable[[Client, Any, float], Coroutine[Any, Any, wire.Done | Encoded]]


class Requests:
    """Answers the events of clients: checks them, and lets `performer` carry them out."""

    def __init__(
        self,
        performer: Performer,
        is_paused: Callable[[], bool],
        outbox: Outbox,
        time: TimeSource,
    ) -> None:
        self._performer = performer
        self._is_paused = is_paused
        self._outbox = outbox
        self._time = time
        # Requests with an effect on the connection that sent them.
        self._handlers: Mapping[str, EventHandler] = {
            "game.watch": self._watch,
            "game.state": self._whole,
            "game.legal": self._legal,
            "tournament.watch": self._watch_tournament,
            "analysis.position": self._analyse_position,
            "analysis.legal": self._analyse_legal,
            "analysis.start": self._start_analysis,
        }

    async def answer(self, client: Client, incoming: Incoming, reply: Reply) -> None:
        """Execute the request of an event and call `reply`; the first call counts.

        After ANSWER_S the reply is `unavailable`, but the request continues: a client that repeats
        it may find it done. Never raises.
        """
        arrived = self._time.monotonic()
        late = asyncio.get_running_loop().call_later(ANSWER_S, _give_up, reply)
        try:
            client.check_rate()
            message = checked(incoming)
            self._check_disk(incoming.event)
            handler = self._handlers.get(incoming.event)
            if handler is None:
                done = await self._perform(client, incoming.event, message, arrived)
            else:
                done = await handler(client, message, arrived)
            reply(done)
        except Refused as refused:
            _log_refusal(client, incoming, refused)
            reply(refused.as_message())
        except Exception:
            log.exception("request_failed", player=client.player.name, request=incoming.event)
            reply(Refused("server_error").as_message())
        finally:
            late.cancel()

    def _check_disk(self, event: str) -> None:
        """Raises Refused at once for requests that write while the database cannot be written."""
        if event in WRITING and self._is_paused():
            raise unavailable()

    async def _perform(
        self, client: Client, event: str, message: BaseModel, arrived: float
    ) -> wire.Done | Encoded:
        origin = client.socket.address
        return await self._performer.perform(event, client.player, message, arrived, origin)

    async def _watch(
        self, client: Client, message: wire.WatchGame, arrived: float
    ) -> wire.Done | Encoded:
        # The connection follows before the state is read, so that it misses no change in between.
        await self._performer.setup_of(message.game_id)  # refused if there is no such game
        if message.follow:
            self._outbox.follow(client.connection, game_room(message.game_id))
        else:
            self._outbox.leave(client.connection, game_room(message.game_id))
        return await self._whole(client, message, arrived)

    async def _whole(
        self, client: Client, message: wire.AskGame | wire.WatchGame, arrived: float
    ) -> wire.Done | Encoded:
        asked = wire.AskGame(v=message.v, game_id=message.game_id)
        done = await self._perform(client, "game.state", asked, arrived)
        # Waiting events are older than this answer, and must not follow it.
        self._outbox.forget_waiting(client.connection, game_room(message.game_id))
        return done

    async def _legal(
        self, client: Client, message: wire.AskLegal, arrived: float
    ) -> wire.Done | Encoded:
        board = referee.game_of(await self._performer.setup_of(message.game_id)).board
        if len(board.cells) > LARGE_BOARD_CELLS or not board.is_bounded:
            client.check_weight(LARGE_BOARD_WEIGHT)
        return await self._perform(client, "game.legal", message, arrived)

    async def _watch_tournament(
        self, client: Client, message: wire.WatchTournament, arrived: float
    ) -> wire.Done | Encoded:
        client.check_weight(WATCHING_WEIGHT)
        # The connection follows before the state is read, so that it misses no change in between.
        await self._perform(client, "tournament.watch", message, arrived)
        room = tournament_room(message.tournament_id)
        if message.follow:
            self._outbox.follow(client.connection, room)
        else:
            self._outbox.leave(client.connection, room)
        return await self._perform(client, "tournament.watch", message, arrived)

    async def _analyse_position(
        self, client: Client, message: wire.AskAnyPosition, arrived: float
    ) -> wire.Done | Encoded:
        client.check_weight(POSITION_WEIGHT)
        return await self._perform(client, "analysis.position", message, arrived)

    async def _analyse_legal(
        self, client: Client, message: wire.AskAnyLegal, arrived: float
    ) -> wire.Done | Encoded:
        client.check_weight(LARGE_BOARD_WEIGHT)
        return await self._perform(client, "analysis.legal", message, arrived)

    async def _start_analysis(
        self, client: Client, message: wire.StartAnalysis, arrived: float
    ) -> wire.Done | Encoded:
        client.check_weight(LARGE_BOARD_WEIGHT)
        return await self._perform(client, "analysis.start", message, arrived)


def _give_up(reply: Reply) -> None:
    reply(unavailable().as_message())


def _log_refusal(client: Client, incoming: Incoming, refused: Refused) -> None:
    if refused.code in UNLOGGED:
        return
    # Text from the client is not logged: it could be a token.
    log.info(
        "refused",
        player=client.player.name,
        request=incoming.event if incoming.event in wire.CLIENT_EVENTS else None,
        code=refused.code,
        rule=refused.rule,
    )


class Inbox:
    """Passes events to `Requests`; a refusal without an acknowledgement becomes a `problem`."""

    def __init__(
        self, clients: Clients, requests: Requests, outbox: Outbox, metrics: ArenaMetrics
    ) -> None:
        self._metrics = metrics
        self._clients = clients
        self._requests = requests
        self._outbox = outbox

    async def take(
        self, connection: str, incoming: Incoming, acknowledge: Acknowledge | None
    ) -> None:
        """As `SocketServer.on_event`."""
        client = self._clients.find(connection)
        if client is None:
            return
        self._metrics.messages.inc(incoming.event)
        is_answered = False

        def reply(answer: wire.Done | Encoded | wire.Refusal) -> None:
            nonlocal is_answered
            if is_answered:
                return
            is_answered = True
            if isinstance(answer, wire.Refusal):
                self._metrics.message_refusals.inc(answer.code)
            if acknowledge is not None:
                acknowledge(answer.model_dump_json())
            elif isinstance(answer, wire.Refusal):
                problem = wire.Problem(code=answer.code, message=answer.message)
                self._outbox.send(connection, "problem", problem)

        await self._requests.answer(client, incoming, reply)
