# mypy: untyped-calls-exclude="socketio,engineio"
"""Connections: who comes in, the whole state for each, their requests, and their going."""

import asyncio
from typing import Any, Final

import structlog
from socketio.exceptions import ConnectionRefusedError as NotLetIn

from bot import wire
from bot.arena.addresses import Proxies
from bot.arena.archive import SOFTWARE
from bot.arena.door import Door
from bot.arena.games import Games
from bot.arena.lobby import Lobby
from bot.arena.outbox import EVERYBODY, Outbox, game_room, player_room
from bot.arena.packets import Incoming
from bot.arena.presence import Presence
from bot.arena.refusals import Refused
from bot.arena.requests import Client, Requests
from bot.arena.transport import Acknowledge, SocketServer
from bot.time_source import TimeSource

NAMESPACE: Final = "/"
MOST_WATCHED: Final = 100
GOODBYE_STEPS: Final = 50
GOODBYE_STEP_S: Final = 0.02

log = structlog.get_logger()


class Gateway:
    """Takes connections from the moment on when it is made."""

    def __init__(
        self,
        server: SocketServer,
        outbox: Outbox,
        door: Door,
        games: Games,
        lobby: Lobby,
        presence: Presence,
        proxies: Proxies,
        time: TimeSource,
    ) -> None:
        self._server = server
        self._outbox = outbox
        self._door = door
        self._games = games
        self._lobby = lobby
        self._presence = presence
        self._proxies = proxies
        self._time = time
        self._requests = Requests(games, lobby, self._welcome_for, self._watch, time)
        self._clients: dict[str, Client] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_closing = False
        server.on("connect", self._on_connect)
        server.on("disconnect", self._on_disconnect)
        server.on_event = self._on_incoming

    async def close(self) -> None:
        """Close every connection; their clients come back once a server is there again."""
        self._is_closing = True
        # On this level, so that clients take it for a lost connection and come back by themselves.
        for transport in list(self._server.eio.sockets.values()):
            await transport.close(wait=False)
        # Cut off before they have said goodbye, connections would hold up the web server's end.
        for _ in range(GOODBYE_STEPS):
            if not self._server.eio.sockets:
                break
            await asyncio.sleep(GOODBYE_STEP_S)
        await asyncio.gather(*self._tasks)
        await self._outbox.close()
        await self._server.shutdown()

    # ---- coming and going ------------------------------------------------------------------

    async def _on_connect(self, connection: str, environ: dict[str, Any], auth: object) -> None:
        if self._is_closing:
            raise NotLetIn("The server is closing.")
        try:
            caller = self._proxies.caller(environ["aiohttp.request"])
            login = await self._door.admit(auth, caller.address)
        except Refused as refused:
            log.info("not_let_in", code=refused.code)
            raise _not_let_in(refused) from refused
        except Exception as error:
            log.exception("connect_failed")
            raise _not_let_in(Refused("server_error")) from error
        bucket = self._door.new_bucket(login.player)
        self._clients[connection] = Client(connection, login.player, bucket)
        if login.former_name is not None:
            # Other tabs would go on under a name that is nobody's; they come back as themselves.
            for other in self._presence.connections(login.former_name):
                await self._server.disconnect(other)
        # The acceptance goes out when this handler has returned; the welcome has to follow it.
        self._run(self._let_in(connection, login.guest_key))

    async def _let_in(self, connection: str, guest_key: str | None) -> None:
        client = self._clients.get(connection)
        if client is None:
            return
        if self._server.get_environ(connection) is None:
            # It was closed while its credentials were looked up, and the library told nobody.
            del self._clients[connection]
            await self._server.manager.disconnect(connection, NAMESPACE)
            return
        player = client.player
        is_first = self._presence.add(player, connection)
        self._outbox.join(connection, EVERYBODY)
        self._outbox.join(connection, player_room(player.name))
        self._outbox.tell(connection, "welcome", self._welcome_for(client, guest_key))
        self._outbox.tell(connection, "lobby", self._lobby.view())
        log.info("connected", player=player.name, kind=player.kind, connection=connection)
        if is_first:
            self._lobby.player_came(player.name)
            await self._games.player_came_or_left(player.name)

    async def _on_disconnect(self, connection: str, reason: str) -> None:
        client = self._clients.pop(connection, None)
        self._outbox.drop(connection)
        if client is None or not self._presence.remove(client.player.name, connection):
            return
        name = client.player.name
        log.info("disconnected", player=name, reason=reason, connection=connection)
        if not self._is_closing:
            self._lobby.player_left(name)
            self._run(self._games.player_came_or_left(name))

    def _run(self, work: Any) -> None:  # noqa: ANN401  (a coroutine of ours)
        task = asyncio.create_task(_logged(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # ---- requests --------------------------------------------------------------------------

    async def _on_incoming(
        self, connection: str, incoming: Incoming, acknowledge: Acknowledge | None
    ) -> None:
        client = self._clients.get(connection)
        if client is None:
            return
        is_answered = False

        def reply(answer: wire.Done | wire.Refusal) -> None:
            nonlocal is_answered
            if is_answered:
                return
            is_answered = True
            if acknowledge is not None:
                acknowledge(answer.model_dump_json())
            elif isinstance(answer, wire.Refusal):
                problem = wire.Problem(code=answer.code, message=answer.message)
                self._outbox.tell(connection, "problem", problem)

        await self._requests.answer(client, incoming, reply)

    def _welcome_for(self, client: Client, guest_key: str | None = None) -> wire.Welcome:
        name = client.player.name
        return wire.Welcome(
            you=client.player,
            guest_key=guest_key,
            server=SOFTWARE,
            server_time=self._time.wall(),
            games=self._games.of_player(name),
            challenges=self._lobby.challenges_of(name),
        )

    async def _watch(self, client: Client, game_id: str, follow: bool) -> None:
        room = game_room(game_id)
        rooms = self._outbox.rooms_of(client.connection)
        if not follow:
            self._outbox.leave(client.connection, room)
        elif len(rooms) >= MOST_WATCHED and room not in rooms:
            raise Refused("too_many", f"You follow {MOST_WATCHED} games already.")
        else:
            self._outbox.join(client.connection, room)


def _not_let_in(refused: Refused) -> NotLetIn:
    return NotLetIn(refused.message, wire.encode(refused.as_message()))


async def _logged(work: Any) -> None:  # noqa: ANN401  (a coroutine of ours)
    try:
        await work
    except Exception:
        log.exception("connection_task_failed")
