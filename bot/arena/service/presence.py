"""Presence: the connections of each player, and listeners for arrivals and departures."""

from collections import Counter
from collections.abc import Callable

from bot import wire


class Presence:
    """Counts each player's connections; several tabs of one person are one player.

    `on_came` is called with the name at a player's first connection, `on_left` at the end of the
    last one. `on_renamed` is called with the former name and the renamed player.
    """

    def __init__(self) -> None:
        self._connections: dict[str, set[str]] = {}
        self._players: dict[str, wire.Player] = {}
        self._count = 0
        self._is_closing = False
        self.on_came: list[Callable[[str], None]] = []
        self.on_left: list[Callable[[str], None]] = []
        self.on_renamed: list[Callable[[str, wire.Player], None]] = []

    def close(self) -> None:
        """Stop calling `on_left`: the server closes, the players do not leave."""
        self._is_closing = True

    def add(self, player: wire.Player, connection: str) -> bool:
        """Add a connection; returns whether it is the player's first."""
        held = self._connections.setdefault(player.name, set())
        self._count += connection not in held
        held.add(connection)
        self._players[player.name] = player
        is_first = len(held) == 1
        if is_first:
            for listener in self.on_came:
                listener(player.name)
        return is_first

    def remove(self, name: str, connection: str) -> bool:
        """Remove a connection; returns whether it was the player's last."""
        held = self._connections.get(name, set())
        self._count -= connection in held
        held.discard(connection)
        if held or name not in self._players:
            return False
        del self._connections[name], self._players[name]
        for listener in self.on_left if not self._is_closing else ():
            listener(name)
        return True

    def rename(self, former: str, player: wire.Player) -> None:
        """Give a player another name; their connections stay."""
        if former in self._players:
            del self._players[former]
            self._players[player.name] = player
            self._connections[player.name] = self._connections.pop(former)
        for listener in self.on_renamed:
            listener(former, player)

    def is_here(self, name: str) -> bool:
        return name in self._players

    def player(self, name: str) -> wire.Player | None:
        """A connected player; a bot with the engine and level that its last connection named."""
        return self._players.get(name)

    def connections(self, name: str) -> frozenset[str]:
        return frozenset(self._connections.get(name, ()))

    def count_of(self, name: str) -> int:
        """Return how many connections a player has."""
        return len(self._connections.get(name, ()))

    @property
    def connection_count(self) -> int:
        return self._count

    def count_by_kind(self) -> dict[str, int]:
        """The number of connections by kind of player; kinds without one are missing."""
        found: Counter[str] = Counter()
        for name, held in self._connections.items():
            found[self._players[name].kind] += len(held)
        return found

    @property
    def players(self) -> list[wire.Player]:
        """The connected players, bots first, then by name."""
        return sorted(
            self._players.values(), key=lambda each: (each.kind != "bot", each.name.casefold())
        )
