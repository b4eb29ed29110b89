"""One round of one player in a `001` line: ten columns with opponent, colour and result."""

from dataclasses import dataclass, field
from typing import Final

from bot.tournaments.dutch.card import CardLine, Points

FIRST_COLUMN: Final = 91
WIDTH: Final = 10
NOBODY: Final = "0000"
WINS, DRAWS, LOSSES = frozenset("1W+"), frozenset("=D"), frozenset("0L-")
FORFEITS: Final = frozenset("+-")
NEVER_TOGETHER: Final = ({"win"}, {"win", "draw"})
"""Outcomes that the two players of a game cannot have. Both may lose, by an arbiter's decision."""


class BadLine(ValueError):
    """A line of a report is wrong; the text says how."""


@dataclass(frozen=True)
class PointSystem:
    """The points of each result (`162`, or `BBW` to `BBU`)."""

    results: Points = field(default_factory=Points)
    zero_point_bye: float = 0.0
    forfeit_loss: float = 0.0
    allocated_bye: float | None = None
    """None: as much as a win."""


@dataclass(frozen=True)
class RoundEntry:
    """The columns of one round; `opponent` is None for a bye or an absence."""

    opponent: int | None
    colour: str
    result: str

    @property
    def was_paired(self) -> bool:
        return self.opponent is not None or self.result in {"U", "+"}

    @property
    def was_played(self) -> bool:
        return self.opponent is not None and self.result not in FORFEITS

    @property
    def outcome(self) -> str:
        """`win`, `draw` or `loss` of a game."""
        return "win" if self.result in WINS else "draw" if self.result in DRAWS else "loss"

    def line(self, points: PointSystem) -> CardLine:
        return CardLine(
            points=self._points(points),
            opponent=self.opponent,
            sat_first=self.colour == "w",
            was_played=self.was_played,
            is_bye=self.opponent is None and self.was_paired,
        )

    def _points(self, points: PointSystem) -> float:
        results = points.results
        if self.result == "U":
            return results.win if points.allocated_bye is None else points.allocated_bye
        if self.result in WINS or self.result == "F":
            return results.win
        if self.result in DRAWS or self.result == "H":
            return results.draw
        if self.was_played:
            return results.loss
        return points.zero_point_bye if self.opponent is None else points.forfeit_loss


def entries_of(line: str) -> list[RoundEntry | None]:
    """The rounds of a `001` line; None for blank columns. Blank columns at the end are left out."""
    found: list[RoundEntry | None] = []
    for at in range(FIRST_COLUMN, len(line.rstrip()), WIDTH):
        text = line[at : at + WIDTH]
        found.append(_entry(text, len(found) + 1) if text.strip() else None)
    return found


def _entry(text: str, number: int) -> RoundEntry:
    opponent, colour, result = text[:4].strip(), text[5:6].strip(), text[7:8].strip().upper()
    if text[8:].strip():
        raise BadLine(f"round {number}: `{text.strip()}` does not fit its columns")
    if opponent and not (opponent.isascii() and opponent.isdigit()):
        raise BadLine(f"round {number}: `{opponent}` is not the number of an opponent")
    known = WINS | DRAWS | LOSSES | {"H", "F", "U", "Z", ""}
    if colour not in {"w", "b", "-", ""} or result not in known:
        raise BadLine(f"round {number}: `{text.strip()}` has an unknown colour or result")
    met = int(opponent or NOBODY) or None
    if met is None and (colour in {"w", "b"} or result in (WINS | LOSSES | {"D"}) - FORFEITS):
        raise BadLine(f"round {number}: `{text.strip()}` has a game without an opponent")
    if met is not None and result not in WINS | DRAWS | LOSSES:
        raise BadLine(f"round {number}: the game against {met} has no result")
    if met is not None and colour not in {"w", "b"} and result not in FORFEITS:
        raise BadLine(f"round {number}: the game against {met} has no colour")
    return RoundEntry(met, colour, result)


def written(line: CardLine, points: Points) -> str:
    """The text of a round in a `001` line, without the two columns between rounds."""
    if line.opponent is None or (not line.was_played and line.points not in _worths(points)):
        return f"{NOBODY} - {_without_opponent(line, points)}"
    if line.was_played:
        result = "1" if line.points == points.win else "=" if line.points == points.draw else "0"
    else:
        result = "+" if line.points == points.win else "-"
    return f"{line.opponent:4} {'w' if line.sat_first else 'b'} {result}"


def _worths(points: Points) -> tuple[float, float]:
    return points.win, points.loss


def _without_opponent(line: CardLine, points: Points) -> str:
    if line.is_bye:
        return "U"
    return {points.win: "F", points.draw: "H"}.get(line.points, "Z")
