"""The connections over which somebody is logged in: whose they are, and what they may take."""

from dataclasses import dataclass

import structlog

from bot import wire
from bot.arena.model.refusals import RATE_LIMITED, Refused
from bot.arena.net.engine_io import Pace
from bot.arena.net.handshake import ONLY_NEWCOMERS, OpenSocket, Sockets
from bot.arena.net.rate_limit import TokenBucket
from bot.arena.service.presence import Presence
from bot.arena.settings import ConnectionLimits
from bot.time_source import TimeSource

log = structlog.get_logger()


@dataclass
class Client:
    """One connection: whose it is, the socket that it uses, and how much it may still ask."""

    connection: str
    player: wire.Player
    socket: OpenSocket
    bucket: TokenBucket

    def check_rate(self) -> None:
        """Count one request; Refused if there have been too many."""
        if not self.bucket.take():
            raise Refused(RATE_LIMITED, retry_after_s=self.bucket.wait_s)

    def check_weight(self, requests: int) -> None:
        """Count a request that is as much work as so many, and is counted once already."""
        if not self.bucket.take(requests - 1):
            raise Refused(RATE_LIMITED, retry_after_s=self.bucket.wait_for(requests))


class Clients:
    """The book of clients; tells sockets and presence who has come and gone."""

    def __init__(
        self, presence: Presence, sockets: Sockets, limits: ConnectionLimits, time: TimeSource
    ) -> None:
        self._presence = presence
        self._sockets = sockets
        self._limits = limits
        self._time = time
        self._clients: dict[str, Client] = {}

    def close(self) -> None:
        """The server is going, not they: nobody is told any more that players leave."""
        self._presence.close()

    def add(self, connection: str, socket: OpenSocket, player: wire.Player) -> bool:
        """From now on the player is here; whether this is their first connection.

        Refused if the player has as many connections as there may be.
        """
        self._check_room_for(player)
        self._clients[connection] = Client(connection, player, socket, self._new_bucket(player))
        self._sockets.logged_in(socket, connection)
        is_first = self._presence.add(player, connection)
        log.info("connected", player=player.name, kind=player.kind, connection=connection)
        return is_first

    def remove(self, connection: str, reason: str) -> str | None:
        """The name of a player who is not here any more; None if other connections are left."""
        client = self._clients.pop(connection, None)
        if client is None:
            return None
        name = client.player.name
        self._sockets.logged_out(client.socket)
        was_last = self._presence.remove(name, connection)
        log.info("disconnected", player=name, reason=reason, connection=connection)
        return name if was_last else None

    def find(self, connection: str) -> Client | None:
        return self._clients.get(connection)

    def player_renamed(self, _former: str, player: wire.Player) -> None:
        for connection in self._presence.connections(player.name):
            self._clients[connection].player = player

    def pace_of(self, player: wire.Player) -> Pace:
        """How many frames a connection of that player may send: messages, pongs, and some more."""
        factor = 2 * self._factor(player)
        limits = self._limits
        return Pace(1 + limits.messages_per_s * factor, limits.messages_burst * factor)

    def _new_bucket(self, player: wire.Player) -> TokenBucket:
        limits, factor = self._limits, self._factor(player)
        return TokenBucket(
            limits.messages_per_s * factor, limits.messages_burst * factor, self._time
        )

    def _factor(self, player: wire.Player) -> int:
        return self._limits.bot_factor if player.kind == "bot" else 1

    def _check_room_for(self, player: wire.Player) -> None:
        held = self._presence.count_of(player.name)
        if held >= self._limits.connections_per_player:
            raise Refused("too_many", f"{player.name} has {held} connections already.")
        if self._sockets.is_closed_to(held):
            raise Refused("too_many", ONLY_NEWCOMERS)
