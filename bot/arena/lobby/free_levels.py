"""Another level for a person who wants a game with a bot that has no place.

The arena does not know how many games a bot plays at once; a bot that is full says so when it
declines. So a bot counts as free unless it declined for that reason a short time ago.
"""

from collections.abc import Callable
from typing import Final

from bot import wire
from bot.arena.players.presence import Presence
from bot.runtime.bounded import BoundedMemory
from bot.time_source import TimeSource

NO_PLACE: Final = frozenset({"too_many_games", "too_many_with_you"})
"""The codes with which our bots decline because they have no place."""
FULL_S: Final = 60.0
FULL_BYTES: Final = 500_000
LONGEST: Final = 300


class FreeLevels:
    """Remembers which bots are full, and finds the next level that is not."""

    def __init__(self, presence: Presence, time: TimeSource) -> None:
        self._presence = presence
        self._time = time
        self._full_at: BoundedMemory[str, float] = BoundedMemory(FULL_BYTES)

    def note_full(self, name: str) -> None:
        """Note that a bot has no place now."""
        self._full_at.put(name, self._time.monotonic())

    def note_free(self, name: str) -> None:
        """Note that a bot has begun a game."""
        self._full_at.forget(name)

    def instead_of(
        self, name: str, has_place: Callable[[wire.Player], bool] = lambda _bot: True
    ) -> wire.Player | None:
        """The bot of the next level with the same engine, else of the one below; None if there is
        none. `has_place` returns whether it may play another game.
        """
        bot = self._presence.player(name)
        if bot is None or bot.level is None:
            return None
        own = bot.level
        found = [
            (each.level < own, abs(each.level - own), each.name, each)
            for each in self._presence.players
            if each.kind == "bot"
            and each.level is not None
            and each.name != name
            and each.engine == bot.engine
            and not self._is_full(each.name)
            and has_place(each)
        ]
        return min(found)[-1] if found else None

    def _is_full(self, name: str) -> bool:
        at = self._full_at.get(name)
        return at is not None and self._time.monotonic() - at < FULL_S


def with_another(message: str, bot: wire.Player) -> str:
    """The sentence of a refusal, and which level is free."""
    return f"{message} {bot.name}, level {bot.level}, is free."[:LONGEST]
