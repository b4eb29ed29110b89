"""When the bot is killed: at moments drawn by lot, and at times again while it starts."""

import random
from typing import Final

TURNS_A_GAME: Final = 25
"""Of the bot, more or less; games that are over count as so many, however short they were."""
AGAIN: Final = 0.25
"""Chance that the bot is killed once more before it can have come up."""
SHORTLY_S: Final = 3.0
TURN_S: Final = 1.0
"""The kill comes within so much time after its turn."""


class Kills:
    """`due` says when to strike; `struck` counts. All come before the last game is over."""

    def __init__(self, number: int, games: int, rng: random.Random) -> None:
        self._rng = rng
        self._games = games
        last = max(games - 1, 0.3) / games
        self._shares = sorted(rng.uniform(0, last) for _ in range(number))
        self._at: float | None = None
        self.struck = 0

    def due(self, turns: int, over: int, now: float) -> bool:
        """Whether to kill now, in seconds, after so many turns of the bot and finished games."""
        share = max(turns / TURNS_A_GAME, over) / self._games
        if self._at is None and self._shares and share >= self._shares[0]:
            self._at = now + self._rng.uniform(0, TURN_S)
        if self._at is None or now < self._at:
            return False
        self._shares.pop(0)
        self.struck += 1
        again = bool(self._shares) and self._rng.random() < AGAIN
        self._at = now + self._rng.uniform(0, SHORTLY_S) if again else None
        return True
