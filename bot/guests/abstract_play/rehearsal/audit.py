"""The bot's actions and its violations, recorded by the platform, which sees all of them."""

from collections import Counter
from dataclasses import dataclass
from typing import Final

ILLEGAL: Final = "illegal turn"
CHANGED: Final = "another turn for the same ply"
ELSEWHERE: Final = "turn landed on another ply"
AT_ONCE: Final = "two submissions at once"
TOO_SOON: Final = "sent again too soon"
DEADLINE: Final = "deadline passed"
TAKEN: Final = "accepted what cannot be played"
FORGED: Final = "forged call not refused"
KINDS: Final = (ILLEGAL, CHANGED, ELSEWHERE, AT_ONCE, TOO_SOON, DEADLINE, TAKEN, FORGED)

TOO_SOON_MS: Final = 9_500
"""Ten seconds must pass after a doubtful answer, measured from arrival to arrival."""


@dataclass(frozen=True, slots=True)
class Violation:
    """An action that is forbidden for the bot. `due` is the deadline that passed, if any."""

    kind: str
    game_id: str
    ply: int
    text: str
    due: int | None = None

    def __str__(self) -> str:
        return f"{self.kind}: game {self.game_id}, ply {self.ply}: {self.text}"


@dataclass(slots=True)
class _Ply:
    """The submissions for one ply of a game."""

    text: str
    arrived: int
    busy_until: int
    doubtful: bool = False


class Audit:
    """`counts` are for people, and `violations` decide.

    `slowest_ms` is the bot's longest time for a turn, `slowest_call_ms` for the answer to a call of
    its webhook.
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.violations: list[Violation] = []
        self.slowest_ms = 0
        self.slowest_call_ms = 0
        self._plies: dict[tuple[str, int], _Ply] = {}

    def arrived(self, game_id: str, ply: int, text: str, now: int) -> None:
        """Record that the bot submits a turn for a ply that is its own."""
        key = (game_id, ply)
        known = self._plies.get(key)
        if known is not None:
            self._compare(known, game_id, ply, text, now)
        self._plies[key] = _Ply(known.text if known else text, now, now)

    def _compare(self, known: _Ply, game_id: str, ply: int, text: str, now: int) -> None:
        if known.text != text:
            self.violation(CHANGED, game_id, ply, f"{known.text}, then {text}")
        if now < known.busy_until:
            self.violation(AT_ONCE, game_id, ply, text)
        elif known.doubtful and now - known.arrived < TOO_SOON_MS:
            self.violation(TOO_SOON, game_id, ply, f"after {now - known.arrived} ms")

    def answered(self, game_id: str, ply: int, at: int, *, doubtful: bool) -> None:
        """Record when the answer to the last submission for that ply is sent."""
        known = self._plies[game_id, ply]
        known.busy_until, known.doubtful = at, doubtful

    def violation(self, kind: str, game_id: str, ply: int, text: str) -> None:
        self.violations.append(Violation(kind, game_id, ply, text))

    def missed(self, game_id: str, ply: int, text: str, due: int) -> None:
        """Record that the bot's turn did not arrive by its deadline."""
        self.violations.append(Violation(DEADLINE, game_id, ply, text, due))
