"""Presence: the connections of each player, and listeners for arrivals and departures."""

from collections import Counter
from collections.abc import Callable, Iterable

from bot import wire


class Presence:
    """Counts each player's connections; several tabs of one person are one player.

    In an arena of several processes, players may also be connected to other processes.

    `on_came` is called with the name at a player's first connection to any process, `on_left` at
    the end of the last one. `on_renamed` is called with the former name and the renamed player.
    `on_came_here` and `on_left_here` are the same for the connections to this process.
    """

    def __init__(self) -> None:
        self._connections: dict[str, set[str]] = {}
        self._players: dict[str, wire.Player] = {}
        self._elsewhere: dict[str, dict[str, wire.Player]] = {}
        self._count = 0
        self._is_closing = False
        self.on_came: list[Callable[[str], None]] = []
        self.on_left: list[Callable[[str], None]] = []
        self.on_renamed: list[Callable[[str, wire.Player], None]] = []
        self.on_came_here: list[Callable[[wire.Player], None]] = []
        self.on_left_here: list[Callable[[str], None]] = []

    def close(self) -> None:
        """Stop calling `on_left`: the server closes, the players do not leave."""
        self._is_closing = True

    # ---- connections to this process -------------------------------------------------------

    def add(self, player: wire.Player, connection: str) -> bool:
        """Add a connection; returns whether it is the player's first."""
        was_here = self.is_here(player.name)
        held = self._connections.setdefault(player.name, set())
        self._count += connection not in held
        held.add(connection)
        self._players[player.name] = player
        if len(held) == 1:
            for came_here in self.on_came_here:
                came_here(player)
        if not was_here:
            self._call(self.on_came, player.name)
        return not was_here

    def remove(self, name: str, connection: str) -> bool:
        """Remove a connection; returns whether it was the player's last."""
        held = self._connections.get(name, set())
        self._count -= connection in held
        held.discard(connection)
        if held or name not in self._players:
            return False
        del self._connections[name], self._players[name]
        self._call(self.on_left_here, name)
        if self.is_here(name):
            return False
        if not self._is_closing:
            self._call(self.on_left, name)
        return True

    def rename(self, former: str, player: wire.Player) -> None:
        """Give a player another name; their connections stay."""
        if former in self._players:
            del self._players[former]
            self._players[player.name] = player
            self._connections[player.name] = self._connections.pop(former)
        if former in self._elsewhere:
            self._elsewhere[player.name] = {
                process: player.model_copy(update={"engine": each.engine, "level": each.level})
                for process, each in self._elsewhere.pop(former).items()
            }
        for listener in self.on_renamed:
            listener(former, player)

    def connections(self, name: str) -> frozenset[str]:
        """The player's connections to this process."""
        return frozenset(self._connections.get(name, ()))

    def count_of(self, name: str) -> int:
        """Return how many connections to this process a player has."""
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
    def players_here(self) -> list[wire.Player]:
        """The players who are connected to this process."""
        return list(self._players.values())

    # ---- connections to other processes ----------------------------------------------------

    def came_elsewhere(self, process: str, player: wire.Player) -> bool:
        """Note that a player is connected to another process; returns whether to no other."""
        was_here = self.is_here(player.name)
        self._elsewhere.setdefault(player.name, {})[process] = player
        if not was_here:
            self._call(self.on_came, player.name)
        return not was_here

    def left_elsewhere(self, process: str, name: str) -> bool:
        """Note that a player has left another process; returns whether they are at no other."""
        at = self._elsewhere.get(name, {})
        if at.pop(process, None) is None:
            return False
        if not at:
            del self._elsewhere[name]
        if self.is_here(name):
            return False
        if not self._is_closing:
            self._call(self.on_left, name)
        return True

    def names_at(self, process: str) -> set[str]:
        """The players who are connected to that other process."""
        return {name for name, at in self._elsewhere.items() if process in at}

    def is_at(self, process: str, name: str) -> bool:
        """Return whether a player is connected to that other process."""
        return process in self._elsewhere.get(name, ())

    # ---- all connections -------------------------------------------------------------------

    def is_here(self, name: str) -> bool:
        """Return whether a player is connected to any process."""
        return name in self._players or name in self._elsewhere

    def player(self, name: str) -> wire.Player | None:
        """A connected player; a bot with the engine and level that its last connection named."""
        if name in self._elsewhere and name not in self._players:
            return next(iter(self._elsewhere[name].values()))
        return self._players.get(name)

    @property
    def players(self) -> list[wire.Player]:
        """The connected players, bots first, then by name."""
        found = [player for name in self._elsewhere if (player := self.player(name)) is not None]
        found += [player for name, player in self._players.items() if name not in self._elsewhere]
        return sorted(found, key=lambda each: (each.kind != "bot", each.name.casefold()))

    @staticmethod
    def _call(listeners: Iterable[Callable[[str], None]], name: str) -> None:
        for listener in listeners:
            listener(name)
