"""When the bot is killed: at turns drawn by lot, and at times again while it starts."""

import random
from typing import Final

TURNS_A_GAME: Final = 12
"""Of the bot, fewer than games have on average: kills are drawn among so many, so that all of them come."""
AGAIN: Final = 0.25
"""Chance that the bot is killed once more before it can have come up."""
SHORTLY_S: Final = 3.0
TURN_S: Final = 1.0
"""The kill comes within so much time after its turn."""


class Kills:
    """`due` says when to strike; `struck` counts."""

    def __init__(self, number: int, games: int, rng: random.Random) -> None:
        self._rng = rng
        self._turns = sorted(rng.randrange(games * TURNS_A_GAME) for _ in range(number))
        self._at: float | None = None
        self.struck = 0

    def due(self, turns: int, now: float) -> bool:
        """Whether to kill now; `turns` is how many the bot has played, `now` in seconds."""
        if self._at is None and self._turns and turns >= self._turns[0]:
            self._at = now + self._rng.uniform(0, TURN_S)
        if self._at is None or now < self._at:
            return False
        self._turns.pop(0)
        self.struck += 1
        again = bool(self._turns) and self._rng.random() < AGAIN
        self._at = now + self._rng.uniform(0, SHORTLY_S) if again else None
        return True
