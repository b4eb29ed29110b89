"""Clients: connections with a logged-in player, and their limits."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import structlog

from bot import wire
from bot.arena.edge.open_sockets import ONLY_NEWCOMERS, OpenSocket, Sockets
from bot.arena.edge.pace import Pace
from bot.arena.players.presence import Presence
from bot.arena.refusals import RATE_LIMITED, Refused
from bot.arena.settings import ConnectionLimits
from bot.runtime.rate_limit import AddressBuckets
from bot.runtime.token_bucket import TokenBucket
from bot.time_source import TimeSource

OF_ADDRESS: Final = 5
"""All people at one address may cost as much as this many of them, apart from plain messages."""
UNFINISHED: Final = 16
"""How many requests of a person's connection may be unfinished; its further ones are not read."""

log = structlog.get_logger()


@dataclass
class Client:
    """One connection with its player, its socket and its remaining requests.

    What costs more than an ordinary message is also taken from `shared`, which all people at one
    address have together, so that more connections do not help them. Bots have none. `logins` are
    those of the player, each as costly as its welcome.

    `token` is the id of the token with which a bot has logged in.
    """

    connection: str
    player: wire.Player
    socket: OpenSocket
    bucket: TokenBucket
    logins: TokenBucket
    shared: TokenBucket | None = None
    token: str | None = None

    def check_rate(self) -> None:
        """Count one request. Raises Refused if there were too many."""
        if not self.bucket.take():
            raise Refused(RATE_LIMITED, retry_after_s=self.bucket.wait_s)

    def check_weight(self, weight: int) -> None:
        """Count a request, already counted once, as that many. Raises Refused.

        A request may cost more than a full bucket has: the next ones wait for it.
        """
        if weight > 1 and self.shared is not None and self.shared.wait_s > 0:
            raise Refused(RATE_LIMITED, retry_after_s=self.shared.wait_s)
        self.charge(weight - 1)

    def charge(self, weight: int) -> None:
        """Count what an answer has cost; later requests are refused for it, if necessary."""
        if weight > 0:
            self.bucket.charge(weight)
            if self.shared is not None:
                self.shared.charge(weight)


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
        rate, burst = limits.messages_per_s, limits.messages_burst
        self._shared = AddressBuckets(OF_ADDRESS * rate, OF_ADDRESS * burst, time)
        self._logins = AddressBuckets(rate, burst, time)

    def close(self) -> None:
        """See `Presence.close`."""
        self._presence.close()

    def __iter__(self) -> Iterator[Client]:
        return iter(list(self._clients.values()))

    def add(
        self, connection: str, socket: OpenSocket, player: wire.Player, token: str | None = None
    ) -> bool:
        """Add a client; returns whether this is the player's first connection.

        Raises Refused if the player has too many connections or has come too often, or if the
        server has no room.
        """
        self._check_room_for(player)
        logins = self._logins.of(player.id or player.name)
        if not logins.take():
            raise Refused(RATE_LIMITED, retry_after_s=logins.wait_s)
        bucket = self._new_bucket(player)
        # The operator has admitted each bot, and many may run on one machine.
        shared = None if player.kind == "bot" else self._shared.of(socket.address)
        self._clients[connection] = Client(
            connection, player, socket, bucket, logins, shared, token
        )
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
        """Return how many frames a connection of that player may send (requests, pongs and a
        margin), and how many requests may be unfinished.
        """
        factor = 2 * self._factor(player)
        limits = self._limits
        return Pace(
            1 + limits.messages_per_s * factor,
            limits.messages_burst * factor,
            UNFINISHED * self._factor(player),
        )

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
