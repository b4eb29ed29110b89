"""Who is here: connections by player, and what others are told about it."""

from bot import wire


class Presence:
    """Counts each player's connections; several tabs of one person are one player."""

    def __init__(self) -> None:
        self._connections: dict[str, set[str]] = {}
        self._players: dict[str, wire.Player] = {}
        self._count = 0

    def add(self, player: wire.Player, connection: str) -> bool:
        """Note a connection; whether it is the player's first."""
        held = self._connections.setdefault(player.name, set())
        self._count += connection not in held
        held.add(connection)
        self._players[player.name] = player
        return len(held) == 1

    def remove(self, name: str, connection: str) -> bool:
        """Drop a connection; whether it was the player's last."""
        held = self._connections.get(name, set())
        self._count -= connection in held
        held.discard(connection)
        if held or name not in self._players:
            return False
        del self._connections[name], self._players[name]
        return True

    def rename(self, former: str, player: wire.Player) -> None:
        """A player has another name; their connections stay."""
        if former in self._players:
            del self._players[former]
            self._players[player.name] = player
            self._connections[player.name] = self._connections.pop(former)

    def is_here(self, name: str) -> bool:
        return name in self._players

    def player(self, name: str) -> wire.Player | None:
        """A player who is here, with what a bot says of itself on its last connection."""
        return self._players.get(name)

    def connections(self, name: str) -> frozenset[str]:
        return frozenset(self._connections.get(name, ()))

    def count_of(self, name: str) -> int:
        """How many connections a player has."""
        return len(self._connections.get(name, ()))

    @property
    def connection_count(self) -> int:
        return self._count

    @property
    def players(self) -> list[wire.Player]:
        """Those connected now, bots first, then by name."""
        return sorted(
            self._players.values(), key=lambda each: (each.kind != "bot", each.name.casefold())
        )
