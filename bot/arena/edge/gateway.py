"""Connections of players: logged in, welcomed, subscribed to events, and removed at the end."""

import asyncio
from collections.abc import Set as AbstractSet
from typing import Any, Final

import structlog
from socketio.exceptions import ConnectionRefusedError as ConnectionRefused

from bot import wire
from bot.arena.announcer import EVERYBODY, player_room
from bot.arena.edge.broadcast import Outbox
from bot.arena.edge.clients import Client, Clients
from bot.arena.edge.handshake import OpenSocket, Sockets
from bot.arena.edge.login import Authenticator
from bot.arena.edge.socket_io import NAMESPACE, SocketServer
from bot.arena.games.encoded import encoded_welcome
from bot.arena.games.game_service import Games
from bot.arena.http.costs import weight_of_answer
from bot.arena.metrics import ArenaMetrics
from bot.arena.operations import Performer
from bot.arena.operator.moderation import Moderation
from bot.arena.players.accounts import Login
from bot.arena.refusals import ANSWER_S, Refused, unavailable
from bot.runtime.tasks import OwnedTasks


class Welcomer:
    """Sends `welcome` to clients at login, and again when they get another name."""

    def __init__(self, outbox: Outbox, performer: Performer) -> None:
        self._outbox = outbox
        self._performer = performer
        self._tasks = OwnedTasks("welcome_failed")

    async def welcome(self, client: Client, login: Login) -> None:
        """Send `welcome` and `lobby`, and then the events that come meanwhile.

        Raises Refused if a running game of the player cannot be had now.
        """
        connection, player = client.connection, client.player
        self._outbox.hold(connection)
        if login.wants_changes:
            self._outbox.prefer_changes(connection)
        self._outbox.join(connection, EVERYBODY)
        self._outbox.join(connection, player_room(player.name))
        welcome = encoded_welcome(await self._performer.welcome(player, login.guest_key))
        client.logins.charge(weight_of_answer(len(welcome.text)))
        lobby = await self._performer.lobby()
        self._outbox.release(connection, [("welcome", welcome), ("lobby", lobby)])

    def player_renamed(self, former: str, player: wire.Player) -> None:
        """Move the player's connections to the room of the new name, and welcome them again."""
        for connection in self._outbox.members(player_room(former)):
            self._outbox.leave(connection, player_room(former))
            self._outbox.join(connection, player_room(player.name))
            self._tasks.start(self.welcome_again(connection, player))

    async def welcome_again(self, connection: str, player: wire.Player) -> None:
        """Send the present `welcome`."""
        welcome = encoded_welcome(await self._performer.welcome(player, None))
        self._outbox.send(connection, "welcome", welcome)

    def gone(self, connection: str) -> None:
        self._outbox.drop(connection)


GOODBYE_STEPS: Final = 50
"""How often the shutdown checks whether all connections are closed, every GOODBYE_STEP_S."""
GOODBYE_STEP_S: Final = 0.02

log = structlog.get_logger()


class Gateway:
    """Handles Socket.IO's connects and disconnects from its creation on."""

    def __init__(
        self,
        server: SocketServer,
        sockets: Sockets,
        authenticator: Authenticator,
        clients: Clients,
        welcomer: Welcomer,
        games: Games,
        metrics: ArenaMetrics,
        moderation: Moderation,
    ) -> None:
        self._metrics = metrics
        self._server = server
        self._sockets = sockets
        self._authenticator = authenticator
        self._clients = clients
        self._welcomer = welcomer
        self._games = games
        self._moderation = moderation
        self._tasks = OwnedTasks("connection_task_failed")
        self._is_closing = False
        server.on("connect", self._on_connect)
        server.on("disconnect", self._on_disconnect)
        moderation.close_forbidden = self._close_forbidden

    async def close(self) -> None:
        """Close every connection; the clients reconnect once a server is running again."""
        self._is_closing = True
        self._clients.close()
        for socket in list(self._server.eio.sockets.values()):
            socket.go_away()
        # Connections that are open after this delay the end of the web server.
        for _ in range(GOODBYE_STEPS):
            if not self._server.eio.sockets:
                break
            await asyncio.sleep(GOODBYE_STEP_S)
        await self._tasks.wait()
        await self._server.shutdown()

    # ---- connects and disconnects ----------------------------------------------------------

    # A connection counts as connected from `_take_in` until `_leave`. Neither of them awaits
    # anything, so that they cannot overtake each other.

    async def _on_connect(self, connection: str, environ: dict[str, Any], auth: object) -> None:
        socket = self._sockets.find(environ["aiohttp.request"].protocol)
        if socket is None or self._is_closing:
            raise ConnectionRefused("The server is closing.")
        try:
            login = await self._authenticated(socket, auth)
            is_first = self._take_in(connection, socket, login)
        except Refused as refused:
            self._metrics.login_refusals.inc(refused.code)
            self._sockets.login_refused(socket, refused.code)
            raise _refusal(refused) from refused
        except ConnectionRefused:
            raise
        except Exception as error:
            log.exception("connect_failed")
            self._metrics.login_refusals.inc("server_error")
            raise _refusal(Refused("server_error")) from error
        # The library accepts the connection when this handler has returned; the welcome follows.
        self._tasks.start(self._welcome(connection, login, is_first))

    async def _authenticated(self, socket: OpenSocket, auth: object) -> Login:
        self._moderation.check(socket.address)
        socket.is_asking = True
        try:
            async with asyncio.timeout(ANSWER_S):
                login = await self._authenticator.authenticate(auth, socket.address)
        except TimeoutError:
            raise unavailable() from None
        finally:
            socket.is_asking = False
        return login

    def _take_in(self, connection: str, socket: OpenSocket, login: Login) -> bool:
        """Add the client; returns whether this is the player's first connection."""
        if socket.is_broken or self._is_gone(connection):
            raise ConnectionRefused("The connection is gone.")
        # Here, not before: the operator may have decided during the login.
        self._moderation.check(socket.address)
        self._moderation.check_player(login.player, login.token)
        is_first = self._clients.add(connection, socket, login.player, login.token)
        self._metrics.logins.inc(login.player.kind)
        self._server.set_pace(connection, self._clients.pace_of(login.player))
        return is_first

    def welcome_again(self, names: AbstractSet[str]) -> None:
        """Welcome these players again, because their last welcome was incomplete."""
        self._tasks.start(self._welcome_again(names))

    async def _welcome_again(self, names: AbstractSet[str]) -> None:
        # One after the other: turns must not wait for thousands of welcomes.
        for client in list(self._clients):
            if client.player.name in names and not self._is_closing:
                await self._welcomer.welcome_again(client.connection, client.player)

    def _close_forbidden(self) -> int:
        """Close the connections that are no longer allowed; the next login says why."""
        closed = 0
        for client in self._clients:
            try:
                self._moderation.check(client.socket.address)
                self._moderation.check_player(client.player, client.token)
            except Refused as refused:
                facts = {"player": client.player.name, "connection": client.connection}
                log.info("connection_forbidden", code=refused.code, **facts)
                open_socket = self._server.socket_of(client.connection)
                if open_socket is not None:
                    open_socket.go_away()
                    closed += 1
        return closed

    async def _welcome(self, connection: str, login: Login, is_first: bool) -> None:
        client = self._clients.find(connection)
        if client is None or self._is_gone(connection):
            # If it broke before it was accepted, the library calls no disconnect handler.
            self._leave(connection, "gone")
            await self._server.manager.disconnect(connection, NAMESPACE)
            return
        try:
            await self._welcomer.welcome(client, login)
        except Refused as refused:
            # A welcome without a running game would say that there is no such game.
            log.info("welcome_refused", player=client.player.name, code=refused.code)
            if (open_socket := self._server.socket_of(connection)) is not None:
                open_socket.go_away()
            return
        if is_first:
            await self._games.player_came_or_left(client.player.name)

    async def _on_disconnect(self, connection: str, reason: str) -> None:
        self._leave(connection, reason)

    def _leave(self, connection: str, reason: str) -> None:
        self._welcomer.gone(connection)
        left = self._clients.remove(connection, reason)
        if left is not None and not self._is_closing:
            self._tasks.start(self._games.player_came_or_left(left))

    def _is_gone(self, connection: str) -> bool:
        return self._server.get_environ(connection) is None


def _refusal(refused: Refused) -> ConnectionRefused:
    return ConnectionRefused(refused.message, wire.encode(refused.as_message()))
