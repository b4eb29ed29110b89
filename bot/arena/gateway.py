"""Connections: who comes in, the whole state for each, their requests, and their going."""

import asyncio
from dataclasses import dataclass
from typing import Any, Final

import structlog
from socketio.exceptions import ConnectionRefusedError as NotLetIn

from bot import wire
from bot.arena.accounts import Login
from bot.arena.archive import SOFTWARE
from bot.arena.door import Door
from bot.arena.games import Games
from bot.arena.lobby import Lobby
from bot.arena.outbox import EVERYBODY, Outbox, game_room, player_room
from bot.arena.packets import Incoming
from bot.arena.presence import Presence
from bot.arena.quiet_log import QuietLog
from bot.arena.refusals import Refused, unavailable
from bot.arena.requests import ANSWER_S, Client, Requests
from bot.arena.sockets import OpenSocket, Sockets
from bot.arena.transport import Acknowledge, SocketServer
from bot.time_source import TimeSource

NAMESPACE: Final = "/"
MOST_WATCHED: Final = 100
GOODBYE_STEPS: Final = 50
GOODBYE_STEP_S: Final = 0.02
REFUSALS_SHOWN: Final = 5
"""So many refused logins of an address a minute make a line each."""

log = structlog.get_logger()


@dataclass(frozen=True)
class _Here:
    """A connection whose player is here, and the socket that it uses."""

    client: Client
    socket: OpenSocket


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
        sockets: Sockets,
        quiet_log: QuietLog,
        time: TimeSource,
    ) -> None:
        self._server = server
        self._outbox = outbox
        self._door = door
        self._games = games
        self._lobby = lobby
        self._presence = presence
        self._sockets = sockets
        self._quiet_log = quiet_log
        self._time = time
        self._requests = Requests(games, lobby, self._welcome_for, self._watch, time)
        self._here: dict[str, _Here] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_closing = False
        door.on_rename = self._rename
        server.on("connect", self._on_connect)
        server.on("disconnect", self._on_disconnect)
        server.on_event = self._on_incoming

    async def close(self) -> None:
        """Close every connection; their clients come back once a server is there again."""
        self._is_closing = True
        for socket in list(self._server.eio.sockets.values()):
            socket.go_away()
        # Cut off before they have said goodbye, connections would hold up the web server's end.
        for _ in range(GOODBYE_STEPS):
            if not self._server.eio.sockets:
                break
            await asyncio.sleep(GOODBYE_STEP_S)
        await asyncio.gather(*self._tasks)
        await self._outbox.close()
        await self._server.shutdown()

    # ---- coming and going ------------------------------------------------------------------

    # A connection is coming while its credentials are looked up, here from `_take_in` on, and gone
    # after `_leave`. Neither of these two waits for anything, so they cannot overtake each other.

    async def _on_connect(self, connection: str, environ: dict[str, Any], auth: object) -> None:
        socket = self._sockets.find(environ["aiohttp.request"].protocol)
        if socket is None or self._is_closing:
            raise NotLetIn("The server is closing.")
        try:
            login = await self._identified(socket, auth)
            is_first = self._take_in(connection, socket, login)
        except Refused as refused:
            self._quiet_log.note(
                "not_let_in", socket.address, lines=REFUSALS_SHOWN, code=refused.code
            )
            raise _not_let_in(refused) from refused
        except NotLetIn:
            raise
        except Exception as error:
            log.exception("connect_failed")
            raise _not_let_in(Refused("server_error")) from error
        # The acceptance goes out when this handler has returned; the welcome has to follow it.
        self._run(self._greet(connection, login.guest_key, is_first))

    async def _identified(self, socket: OpenSocket, auth: object) -> Login:
        socket.is_asking = True
        try:
            async with asyncio.timeout(ANSWER_S):
                login = await self._door.admit(auth, socket.address)
        except TimeoutError:
            raise unavailable() from None
        finally:
            socket.is_asking = False
        return login

    def _rename(self, former: str, player: wire.Player) -> None:
        """The player's other connections go on under the new name, and are welcomed by it."""
        self._lobby.rename(former, player.name)
        others = self._presence.connections(former)
        self._presence.rename(former, player)
        for connection in others:
            client = self._here[connection].client
            client.player = player
            self._outbox.leave(connection, player_room(former))
            self._outbox.join(connection, player_room(player.name))
            self._outbox.tell(connection, "welcome", self._welcome_for(client))
        if others:
            self._lobby.changed()

    def _take_in(self, connection: str, socket: OpenSocket, login: Login) -> bool:
        """From now on the player is here; whether this is their first connection."""
        if socket.is_broken or self._is_gone(connection):
            raise NotLetIn("The connection is gone.")
        player = self._door.current(login.player)
        self._door.check_room_for(player)
        self._server.set_pace(connection, self._door.pace_of(player))
        client = Client(connection, player, self._door.new_bucket(player))
        self._here[connection] = _Here(client, socket)
        self._sockets.logged_in(socket, connection)
        is_first = self._presence.add(player, connection)
        log.info("connected", player=player.name, kind=player.kind, connection=connection)
        if is_first:
            self._lobby.player_came(player.name)
        return is_first

    async def _greet(self, connection: str, guest_key: str | None, is_first: bool) -> None:
        here = self._here.get(connection)
        if here is None or self._is_gone(connection):
            # If it broke before it was accepted, the library tells nobody.
            self._leave(connection, "gone")
            await self._server.manager.disconnect(connection, NAMESPACE)
            return
        client, name = here.client, here.client.player.name
        self._outbox.join(connection, EVERYBODY)
        self._outbox.join(connection, player_room(name))
        self._outbox.tell(connection, "welcome", self._welcome_for(client, guest_key))
        self._outbox.tell(connection, "lobby", self._lobby.view())
        if is_first:
            await self._games.player_came_or_left(name)

    async def _on_disconnect(self, connection: str, reason: str) -> None:
        self._leave(connection, reason)

    def _leave(self, connection: str, reason: str) -> None:
        self._outbox.drop(connection)
        here = self._here.pop(connection, None)
        if here is None:
            return
        name = here.client.player.name
        self._sockets.logged_out(here.socket)
        was_last = self._presence.remove(name, connection)
        log.info("disconnected", player=name, reason=reason, connection=connection)
        if was_last and not self._is_closing:
            self._lobby.player_left(name)
            self._run(self._games.player_came_or_left(name))

    def _is_gone(self, connection: str) -> bool:
        return self._server.get_environ(connection) is None

    def _run(self, work: Any) -> None:  # noqa: ANN401  (a coroutine of ours)
        task = asyncio.create_task(_logged(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # ---- requests --------------------------------------------------------------------------

    async def _on_incoming(
        self, connection: str, incoming: Incoming, acknowledge: Acknowledge | None
    ) -> None:
        here = self._here.get(connection)
        if here is None:
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

        await self._requests.answer(here.client, incoming, reply)

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
