"""Clients: connections with a logged-in player, and their limits."""

from collections.abc import Iterator
from dataclasses import dataclass

import structlog

from bot import wire
from bot.arena.model.refusals import RATE_LIMITED, Refused
from bot.arena.net.engine_io import Pace
from bot.arena.net.handshake import ONLY_NEWCOMERS, OpenSocket, Sockets
from bot.arena.service.presence import Presence
from bot.arena.settings import ConnectionLimits
from bot.runtime.token_bucket import TokenBucket
from bot.time_source import TimeSource

log = structlog.get_logger()


@dataclass
class Client:
    """One connection with its player, its socket and its remaining requests.

    `token` is the id of the token with which a bot has logged in.
    """

    connection: str
    player: wire.Player
    socket: OpenSocket
    bucket: TokenBucket
    token: str | None = None

    def check_rate(self) -> None:
        """Count one request. Raises Refused if there were too many."""
        if not self.bucket.take():
            raise Refused(RATE_LIMITED, retry_after_s=self.bucket.wait_s)

    def check_weight(self, requests: int) -> None:
        """Count a request, already counted once, as that many. Raises Refused."""
        if not self.bucket.take(requests - 1):
            raise Refused(RATE_LIMITED, retry_after_s=self.bucket.wait_for(requests))


class Clients:
    """All clients; keeps `Sockets` and `Presence` up to date."""

    def __init__(
        self, presence: Presence, sockets: Sockets, limits: ConnectionLimits, time: TimeSource
    ) -> None:
        self._presence = presence
        self._sockets = sockets
        self._limits = limits
        self._time = time
        self._clients: dict[str, Client] = {}

    def close(self) -> None:
        """See `Presence.close`."""
        self._presence.close()

    def __iter__(self) -> Iterator[Client]:
        return iter(list(self._clients.values()))

    def add(
        self, connection: str, socket: OpenSocket, player: wire.Player, token: str | None = None
    ) -> bool:
        """Add a client; returns whether this is the player's first connection.

        Raises Refused if the player has too many connections, or the server has no room.
        """
        self._check_room_for(player)
        bucket = self._new_bucket(player)
        self._clients[connection] = Client(connection, player, socket, bucket, token)
        self._sockets.logged_in(socket, connection)
        is_first = self._presence.add(player, connection)
        log.info("connected", player=player.name, kind=player.kind, connection=connection)
        return is_first

    def remove(self, connection: str, reason: str) -> str | None:
        """Remove a client; returns the player's name if this was their last connection."""
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
        """Return how many frames a connection of that player may send: requests, pongs and a
        margin.
        """
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
            raise Refused("too_many", f"{player.name} already has {held} connections.")
        if self._sockets.is_closed_to(held):
            raise Refused("too_many", ONLY_NEWCOMERS)
