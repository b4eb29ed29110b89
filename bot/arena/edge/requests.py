"""Requests of clients: each event is executed or refused, and acknowledged."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Final

import structlog
from pydantic import BaseModel

from bot import wire
from bot.arena.announcer import game_room, tournament_room
from bot.arena.answers import Answer
from bot.arena.edge.broadcast import Outbox
from bot.arena.edge.clients import Client, Clients
from bot.arena.edge.packets import Incoming
from bot.arena.edge.socket_server import Socket
from bot.arena.edge.validation import checked
from bot.arena.games import referee
from bot.arena.http.costs import Cost, weight_of_answer
from bot.arena.metrics import ArenaMetrics
from bot.arena.operations import Performer
from bot.arena.refusals import (
    ANSWER_S,
    ASK_AGAIN_S,
    RATE_LIMITED,
    UNAVAILABLE,
    Refused,
    unavailable,
)
from bot.runtime.fair_places import FairPlaces, NoRoom
from bot.time_source import TimeSource

UNLOGGED: Final = frozenset({RATE_LIMITED, UNAVAILABLE})
"""Refusals that are not logged, because there can be a flood of them."""
PLACES_OF_ADDRESS: Final = 4
"""The slow requests of one address that run at a time; further ones wait."""
WAITING_OF_ADDRESS: Final = 64
"""The slow requests of one address that may wait."""

log = structlog.get_logger()

EventHandler = Callable[[Client, Any, float], Coroutine[Any, Any, Answer]]


class _Reply:
    """The reply to a request; the first call counts.

    A refusal of an event without an acknowledgement becomes a `problem`.
    """

    __slots__ = ("_client", "_is_sent", "_metrics", "_number", "_outbox", "_socket")

    def __init__(
        self,
        client: Client,
        socket: Socket,
        number: int | None,
        outbox: Outbox,
        metrics: ArenaMetrics,
    ) -> None:
        self._client = client
        self._socket = socket
        self._number = number
        self._outbox = outbox
        self._metrics = metrics
        self._is_sent = False

    def __call__(self, answer: Answer | wire.Refusal) -> None:
        if self._is_sent:
            return
        self._is_sent = True
        if isinstance(answer, wire.Refusal):
            self._metrics.message_refusals.inc(answer.code)
        if self._number is not None:
            text = answer.model_dump_json()
            self._client.charge(weight_of_answer(len(text)))
            self._socket.answer(self._number, text)
        elif isinstance(answer, wire.Refusal):
            problem = wire.Problem(code=answer.code, message=answer.message)
            self._outbox.send(self._client.connection, "problem", problem)


class Requests:
    """Answers the events of clients: checks them, and lets `performer` carry them out."""

    def __init__(
        self,
        clients: Clients,
        performer: Performer,
        is_paused: Callable[[], bool],
        outbox: Outbox,
        metrics: ArenaMetrics,
        time: TimeSource,
    ) -> None:
        self._clients = clients
        self._performer = performer
        self._table = performer.requests
        self._is_paused = is_paused
        self._outbox = outbox
        self._metrics = metrics
        self._time = time
        # Requests with an effect on the connection that sent them.
        self._handlers: Mapping[str, EventHandler] = {
            "game.watch": self._watch,
            "game.state": self._whole,
            "tournament.watch": self._watch_tournament,
        }
        self._places = FairPlaces(of_each=PLACES_OF_ADDRESS, waiting=WAITING_OF_ADDRESS)

    def take(self, socket: Socket, incoming: Incoming) -> None:
        """Start the request of an event, and answer it; see `SocketServer.on_event`.

        After ANSWER_S the answer is `unavailable`. A question ends then; any other request
        continues, so a client that repeats it may find it done.
        """
        # Before the task starts: its client may leave until then, and the turn counts all the same.
        client = self._clients.find(socket.id)
        if client is None:
            return
        self._metrics.messages.inc(incoming.event)
        reply = _Reply(client, socket, incoming.number, self._outbox, self._metrics)
        is_question = self._table.is_question(incoming.event)
        request = self._answer(client, incoming, reply, is_question=is_question)
        socket.unfinished.start(request, is_question=is_question)

    async def _answer(
        self, client: Client, incoming: Incoming, reply: _Reply, *, is_question: bool
    ) -> None:
        arrived = self._time.monotonic()
        question = asyncio.current_task() if is_question else None
        late = asyncio.get_running_loop().call_later(ANSWER_S, _give_up, reply, question)
        try:
            client.check_rate()
            message = checked(incoming, self._table)
            self._check_disk(incoming.event)
            reply(await self._performed(client, incoming.event, message, arrived))
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
        if self._table.find(event).writes and self._is_paused():
            raise unavailable()

    async def _performed(
        self, client: Client, event: str, message: BaseModel, arrived: float
    ) -> Answer:
        """Charge the request and carry it out. Raises Refused."""
        cost = self._table.find(event).cost
        if not cost.is_slow:
            return await self._carried_out(client, event, message, arrived)
        address = client.socket.address
        try:
            await self._places.take(address)
        except NoRoom:
            raise Refused(RATE_LIMITED, retry_after_s=ASK_AGAIN_S) from None
        try:
            client.check_weight(await self._weight(cost, message))
            return await self._carried_out(client, event, message, arrived)
        finally:
            self._places.give_back(address)

    async def _weight(self, cost: Cost, message: Any) -> int:  # noqa: ANN401  (any request)
        if cost.of_game is None:
            return cost.of(message)
        board = referee.game_of(await self._performer.setup_of(message.game_id)).board
        return cost.of_game(message, board)

    async def _carried_out(
        self, client: Client, event: str, message: BaseModel, arrived: float
    ) -> Answer:
        handler = self._handlers.get(event)
        if handler is None:
            return await self._perform(client, event, message, arrived)
        return await handler(client, message, arrived)

    async def _perform(
        self, client: Client, event: str, message: BaseModel, arrived: float
    ) -> Answer:
        origin = client.socket.address
        return await self._performer.perform(event, client.player, message, arrived, origin)

    async def _watch(self, client: Client, message: wire.WatchGame, arrived: float) -> Answer:
        # The connection follows before the state is read, so that it misses no change in between.
        await self._performer.setup_of(message.game_id)  # refused if there is no such game
        if message.follow:
            self._outbox.follow(client.connection, game_room(message.game_id))
        else:
            self._outbox.leave(client.connection, game_room(message.game_id))
        return await self._whole(client, message, arrived)

    async def _whole(
        self, client: Client, message: wire.AskGame | wire.WatchGame, arrived: float
    ) -> Answer:
        asked = wire.AskGame(v=message.v, game_id=message.game_id)
        done = await self._perform(client, "game.state", asked, arrived)
        # Waiting events are older than this answer, and must not follow it.
        self._outbox.forget_waiting(client.connection, game_room(message.game_id))
        return done

    async def _watch_tournament(
        self, client: Client, message: wire.WatchTournament, arrived: float
    ) -> Answer:
        room = tournament_room(message.tournament_id)
        if not message.follow:
            self._outbox.leave(client.connection, room)
            return await self._perform(client, "tournament.watch", message, arrived)
        # The connection follows before the state is read, so that it misses no change in between.
        self._outbox.follow(client.connection, room)
        try:
            return await self._perform(client, "tournament.watch", message, arrived)
        except Refused:  # there is no such tournament, or it is not known here now
            self._outbox.leave(client.connection, room)
            raise


def _give_up(reply: _Reply, question: asyncio.Task[Any] | None) -> None:
    reply(unavailable().as_message())
    if question is not None:
        question.cancel()


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
