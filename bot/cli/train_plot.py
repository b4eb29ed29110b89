"""Strength over games played, as `bluestone train` draws it."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from bot.matches.report.charts import ticks_between
from bot.matches.report.markup import Html, joined, tag
from engine.training.journal import Entry, GamesPlayed, Matched

WIDTH: Final = 720
HEIGHT: Final = 340
LEFT, RIGHT, TOP, BOTTOM = 64, 24, 24, 48
STYLE: Final = (
    "text{font:12px system-ui,sans-serif;fill:#222}.grid{stroke:#ddd}"
    ".best{fill:none;stroke:#3a6ea5;stroke-width:2}.accepted{fill:#3a6ea5}"
    ".rejected{fill:#fff;stroke:#b3263e;stroke-width:1.5}"
)


class Candidate(NamedTuple):
    """A network that had its match, after so many games of self-play in all."""

    games: int
    elo: float
    accepted: bool


def candidates_of(entries: Sequence[Entry]) -> list[Candidate]:
    """In the order of the log."""
    games, found = 0, list[Candidate]()
    for entry in entries:
        if isinstance(entry, GamesPlayed):
            games += entry.games
        elif isinstance(entry, Matched):
            found.append(Candidate(games, entry.elo, entry.accepted))
    return found


def elo_chart(candidates: Sequence[Candidate], title: str) -> str:
    """An SVG document; what the training began with is at 0 games and 0 Elo. Full dots became the
    best.
    """
    start = Candidate(0, 0.0, accepted=True)
    points = [start, *candidates]
    across = ticks_between(0, max(10, points[-1].games), 6)
    up = ticks_between(min(p.elo for p in points), max(50.0, *(p.elo for p in points)), 8)

    def x(games: float) -> float:
        return round(LEFT + games / across[-1] * (WIDTH - LEFT - RIGHT), 1)

    def y(elo: float) -> float:
        return round(
            HEIGHT - BOTTOM - (elo - up[0]) / (up[-1] - up[0]) * (HEIGHT - TOP - BOTTOM), 1
        )

    marks = [
        *(_level(y(tick), f"{tick:+.0f}" if tick else "0") for tick in up),
        *(_text(x(tick), HEIGHT - BOTTOM + 20, f"{tick:,.0f}") for tick in across),
        _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, "games of self-play"),
        tag("path", css="best", d=_stairs([(x(p.games), y(p.elo)) for p in points if p.accepted])),
        *(_dot(x(p.games), y(p.elo), accepted=p.accepted) for p in points),
    ]
    return _document(title, joined(marks))


def _stairs(places: Sequence[tuple[float, float]]) -> str:
    """A path that goes on at one height until the next best."""
    (first_x, first_y), *rest = places
    return f"M{first_x} {first_y}" + "".join(f"H{x}V{y}" for x, y in rest) + f"H{WIDTH - RIGHT}"


def _level(y: float, text: str) -> Html:
    line = tag("line", css="grid", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y)
    return joined((line, _text(LEFT - 8, y + 4, text, anchor="end")))


def _text(x: float, y: float, text: str, anchor: str = "middle") -> Html:
    return tag("text", text, x=x, y=y, text_anchor=anchor)


def _dot(x: float, y: float, *, accepted: bool) -> Html:
    return tag("circle", css="accepted" if accepted else "rejected", cx=x, cy=y, r=4)


def _document(title: str, content: Html) -> str:
    ground = tag("rect", width=WIDTH, height=HEIGHT, fill="#fff")
    drawn = joined((tag("title", title), tag("style", Html(STYLE)), ground, content), "\n")
    box = f"0 0 {WIDTH} {HEIGHT}"
    svg = tag("svg", drawn, xmlns="http://www.w3.org/2000/svg", viewBox=box, role="img")
    return f"{svg}\n"
