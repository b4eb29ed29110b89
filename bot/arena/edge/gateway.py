"""Connections of players: logged in, welcomed, subscribed to events, and removed at the end."""

import asyncio
from collections.abc import Set as AbstractSet
from typing import Final

import structlog

from bot import wire
from bot.arena.announcer import EVERYBODY, player_room
from bot.arena.edge.broadcast import Outbox
from bot.arena.edge.clients import Client, Clients
from bot.arena.edge.login import Authenticator
from bot.arena.edge.open_sockets import Sockets
from bot.arena.edge.packets import Connect
from bot.arena.edge.socket_server import Socket, SocketServer
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
CLOSING: Final = "The server is closing."

log = structlog.get_logger()


class Gateway:
    """Handles logins, and ends of connections, from its creation on."""

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
        server.on_login = self._log_in
        server.on_end = self._ended
        moderation.close_forbidden = self._close_forbidden

    async def close(self) -> None:
        """Close every connection; the clients reconnect once a server is running again."""
        self._is_closing = True
        self._clients.close()
        for socket in self._server:
            socket.go_away()
        # Connections that are open after this delay the end of the web server.
        for _ in range(GOODBYE_STEPS):
            if not len(self._server):
                break
            await asyncio.sleep(GOODBYE_STEP_S)
        await self._tasks.wait()
        self._server.stop_pings()

    # ---- connects and disconnects ----------------------------------------------------------

    # A connection counts as connected from `_take_in` until `_leave`. Neither of them awaits
    # anything, so that they cannot overtake each other.

    async def _log_in(self, socket: Socket, connect: Connect) -> None:
        """Accept the login of a connection, or refuse it."""
        if self._is_closing:
            socket.refuse({"message": CLOSING})
            return
        try:
            login = await self._authenticated(socket, connect)
            if socket.admitted.is_broken:
                return
            is_first = self._take_in(socket, login)
        except Refused as refused:
            self._refuse(socket, refused)
            self._sockets.login_refused(socket.admitted, refused.code)
        except Exception:
            log.exception("connect_failed")
            self._refuse(socket, Refused("server_error"))
        else:
            socket.accept()
            self._tasks.start(self._welcome(socket, login, is_first))

    def _refuse(self, socket: Socket, refused: Refused) -> None:
        self._metrics.login_refusals.inc(refused.code)
        data = wire.encode(refused.as_message())
        socket.refuse({"message": refused.message, "data": data})

    async def _authenticated(self, socket: Socket, connect: Connect) -> Login:
        admitted = socket.admitted
        self._moderation.check(admitted.address)
        if connect.problem is not None:
            raise Refused(connect.problem)
        admitted.is_asking = True
        try:
            async with asyncio.timeout(ANSWER_S):
                return await self._authenticator.authenticate(connect.auth, admitted.address)
        except TimeoutError:
            raise unavailable() from None
        finally:
            admitted.is_asking = False

    def _take_in(self, socket: Socket, login: Login) -> bool:
        """Add the client; returns whether this is the player's first connection."""
        # Here, not before: the operator may have decided during the login.
        self._moderation.check(socket.admitted.address)
        self._moderation.check_player(login.player, login.token)
        is_first = self._clients.add(socket.id, socket.admitted, login.player, login.token)
        self._metrics.logins.inc(login.player.kind)
        socket.set_pace(self._clients.pace_of(login.player))
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
                socket = self._server.find(client.connection)
                if socket is not None:
                    socket.go_away()
                    closed += 1
        return closed

    async def _welcome(self, socket: Socket, login: Login, is_first: bool) -> None:
        client = self._clients.find(socket.id)
        if client is None:  # the connection has ended already
            return
        try:
            await self._welcomer.welcome(client, login)
        except Refused as refused:
            # A welcome without a running game would say that there is no such game.
            log.info("welcome_refused", player=client.player.name, code=refused.code)
            socket.go_away()
            return
        if is_first:
            await self._games.player_came_or_left(client.player.name)

    def _ended(self, socket: Socket, reason: str) -> None:
        self._welcomer.gone(socket.id)
        left = self._clients.remove(socket.id, reason)
        if left is not None and not self._is_closing:
            self._tasks.start(self._games.player_came_or_left(left))
