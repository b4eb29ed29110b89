"""Requests of clients: each event is executed or refused, and acknowledged."""

import asyncio
from collections.abc import Callable
from typing import Final

import structlog

import engine
from bot import wire
from bot.arena.metrics import ArenaMetrics
from bot.arena.model import referee
from bot.arena.model.referee import legal_view
from bot.arena.model.refusals import ANSWER_S, RATE_LIMITED, UNAVAILABLE, Refused, unavailable
from bot.arena.net.broadcast import Outbox, game_room
from bot.arena.net.clients import Client, Clients
from bot.arena.net.gateway import Welcomer
from bot.arena.net.socket_io import Acknowledge, Incoming, checked
from bot.arena.net.tournament_requests import EventHandler, TournamentRequests
from bot.arena.service.challenge_service import Challenges
from bot.arena.service.game_service import Games
from bot.time_source import TimeSource

WRITING: Final = frozenset({"challenge.accept", "game.turn", "game.action"}) | frozenset(
    event for event in wire.CLIENT_EVENTS if event.startswith("tournament.")
) - {"tournament.watch"}
"""Requests that are answered after they are on the disk."""
UNLOGGED: Final = frozenset({RATE_LIMITED, UNAVAILABLE})
"""Refusals that are not logged, because there can be a flood of them."""
LARGE_BOARD_CELLS: Final = 100
LARGE_BOARD_WEIGHT: Final = 4
"""How many requests a `game.legal` on a large or unbounded board counts as."""

log = structlog.get_logger()

Reply = Callable[[wire.Done | wire.Refusal], None]


class Requests:
    """Answers the events of clients."""

    def __init__(
        self,
        games: Games,
        challenges: Challenges,
        tournaments: TournamentRequests,
        welcomer: Welcomer,
        outbox: Outbox,
        time: TimeSource,
    ) -> None:
        self._games = games
        self._challenges = challenges
        self._welcomer = welcomer
        self._outbox = outbox
        self._time = time
        self._handlers: dict[str, EventHandler] = {
            "challenge.create": self._create,
            "challenge.accept": self._accept,
            "challenge.decline": self._decline,
            "challenge.cancel": self._cancel,
            "game.turn": self._turn,
            "game.action": self._action,
            "game.watch": self._follow,
            "game.state": self._whole,
            "game.position": self._position,
            "game.legal": self._legal,
            "state": self._state,
            **tournaments.handlers,
        }
        assert self._handlers.keys() == wire.CLIENT_EVENTS.keys()

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
            reply(await self._handlers[incoming.event](client, message, arrived))
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
        if self._games.is_paused and event in WRITING:
            raise unavailable()

    async def _create(
        self, client: Client, message: wire.CreateChallenge, _arrived: float
    ) -> wire.Done:
        return wire.ChallengeDone(challenge=await self._challenges.create(client.player, message))

    async def _accept(
        self, client: Client, message: wire.AcceptChallenge, _arrived: float
    ) -> wire.Done:
        challenge = await self._challenges.accept(client.player, message.challenge_id)
        return wire.ChallengeDone(challenge=challenge)

    async def _decline(
        self, client: Client, message: wire.DeclineChallenge, _arrived: float
    ) -> wire.Done:
        await self._challenges.decline(client.player, message)
        return wire.Done()

    async def _cancel(
        self, client: Client, message: wire.CancelChallenge, _arrived: float
    ) -> wire.Done:
        await self._challenges.cancel(client.player, message.challenge_id)
        return wire.Done()

    async def _turn(self, client: Client, message: wire.PlayTurn, arrived: float) -> wire.Done:
        return await self._games.play(client.player.name, message, arrived)

    async def _action(self, client: Client, message: wire.GameAction, _arrived: float) -> wire.Done:
        return wire.GameDone(game=await self._games.act(client.player.name, message))

    async def _follow(self, client: Client, message: wire.WatchGame, _arrived: float) -> wire.Done:
        # The connection follows before the state is read, so that it misses no change in between.
        await self._games.state(message.game_id)
        if message.follow:
            self._outbox.follow(client.connection, game_room(message.game_id))
        else:
            self._outbox.leave(client.connection, game_room(message.game_id))
        return await self._whole(client, message, _arrived)

    async def _whole(
        self, client: Client, message: wire.AskGame | wire.WatchGame, _arrived: float
    ) -> wire.Done:
        state = await self._games.state(message.game_id)
        # Waiting events are older than this answer, and must not follow it.
        self._outbox.forget_waiting(client.connection, game_room(message.game_id))
        return wire.GameDone(game=state)

    async def _position(
        self, _client: Client, message: wire.AskPosition, _arrived: float
    ) -> wire.Done:
        position = await self._games.position(message.game_id, message.ply)
        return wire.PositionDone(position=referee.view(position))

    async def _legal(self, client: Client, message: wire.AskLegal, _arrived: float) -> wire.Done:
        position = await self._position_to_move(message)
        board = position.game.board
        if len(board.cells) > LARGE_BOARD_CELLS or not board.is_bounded:
            client.check_weight(LARGE_BOARD_WEIGHT)
        # In a thread: it takes milliseconds on a large board, and turns must not wait for it.
        chosen = tuple(message.chosen)
        view = await asyncio.to_thread(legal_view, position, chosen, message.about)
        return wire.LegalDone(legal=view)

    async def _position_to_move(self, message: wire.AskLegal) -> engine.Position:
        """Return the position. Raises Refused if the game has ended, or is at another ply."""
        game = await self._games.find(message.game_id)
        if game.result is not None:
            raise Refused("game_over", f"The game has ended: {game.result.message}")
        if message.ply not in {None, game.ply}:
            raise Refused(
                "stale_ply", f"Ply {message.ply} is not the next ply: that is {game.ply}."
            )
        return game.position

    async def _state(self, client: Client, _message: wire.AskState, _arrived: float) -> wire.Done:
        return wire.WelcomeDone(welcome=self._welcomer.message_for(client.player))


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

        def reply(answer: wire.Done | wire.Refusal) -> None:
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
