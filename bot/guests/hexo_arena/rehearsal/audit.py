"""What the bot did and what it must not do, recorded by the server, which sees all of it."""

from collections import Counter
from dataclasses import dataclass
from typing import Final

ILLEGAL: Final = "illegal turn"
DISCONNECT: Final = "game lost by disconnect"
TIMEOUT: Final = "game lost by time"
RESIGNED: Final = "game resigned"
CHANGED: Final = "another turn for the same request"
STRAYS: Final = "connection ended for frames that answer nothing"
MALFORMED: Final = "malformed frame"
TWICE: Final = "challenge stacked on a pending one"
HAMMERED: Final = "stream opened against the server's limit"
KINDS: Final = (
    ILLEGAL,
    DISCONNECT,
    TIMEOUT,
    RESIGNED,
    CHANGED,
    STRAYS,
    MALFORMED,
    TWICE,
    HAMMERED,
)


@dataclass(frozen=True, slots=True)
class Violation:
    kind: str
    what: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.what}"


class Audit:
    """`counts` are for people, and `violations` decide.

    `slowest_s` is the bot's longest time for a turn, with the faults in between.
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.violations: list[Violation] = []
        self.slowest_s = 0.0
        self._answers: dict[tuple[str, int], str] = {}

    def violation(self, kind: str, what: str) -> None:
        self.violations.append(Violation(kind, what))

    def answered(self, game_id: str, request_id: int, turn: str) -> None:
        """Record a turn of the bot. For one request it must always be the same."""
        before = self._answers.setdefault((game_id, request_id), turn)
        if before != turn:
            self.violation(CHANGED, f"game {game_id}: {before}, then {turn}")
