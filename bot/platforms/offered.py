"""What people can challenge a bot to, where a kind of platform has little to choose from."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Offered:
    """`boards` are pairs of a game and a board, by our names; no clock has less than
    `least_base_s`. Without `is_rated_told` every challenge looks casual.
    """

    boards: tuple[tuple[str, str], ...]
    rules: str
    clock: Literal["correspondence"]
    least_base_s: float
    is_rated_told: bool

    @property
    def games(self) -> frozenset[str]:
        return frozenset(game for game, _ in self.boards)
