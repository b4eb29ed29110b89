"""What each event costs. What requests over HTTP cost is in `routes.py`.

An ordinary message weighs 1, about as much as a turn. A weight stands for the work of the
arena: `MS_OF_WEIGHT` of a thread, or `BYTES_OF_WEIGHT` of an answer. The bytes are charged when the
answer is known, in addition to the weight in the table, so a client that has asked for a lot waits
before its next request.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import engine

MS_OF_WEIGHT: Final = 5
BYTES_OF_WEIGHT: Final = 16_000

OfGame = Callable[[Any, engine.Board], int]
"""The weight of a message about a game on this board."""
OfMessage = Callable[[Any], int]


@dataclass(frozen=True)
class Cost:
    """What an event costs.

    `weight` may depend on the message, `of_game` also on the board of the message's game. The only
    effect of a question is its answer, so it is dropped when nobody waits for it any more.
    """

    weight: int | OfMessage = 1
    is_question: bool = False
    of_game: OfGame | None = None

    @property
    def is_slow(self) -> bool:
        """Whether it takes one of the places of its address."""
        return self.is_question or self.weight != 1 or self.of_game is not None

    def of(self, message: object) -> int:
        """The weight of a message, unless `of_game` gives it."""
        return self.weight if isinstance(self.weight, int) else self.weight(message)


def weight_of_answer(size: int) -> int:
    """The weight of an answer of that many bytes, apart from that of its event."""
    return size // BYTES_OF_WEIGHT


QUESTION: Final = Cost(1, is_question=True)
ORDER: Final = Cost(1)
