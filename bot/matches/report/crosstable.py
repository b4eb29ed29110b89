"""The crosstable, with a link to every game."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from bot.matches.report.chronicle import Chronicle
from bot.matches.report.markup import Column, Html, joined, link, section, table, tag
from bot.matches.report.words import points_words
from bot.tournaments.crosstable import Meeting, crosstable

SHOWN_GAMES: Final = 4
"""So many games are shown one by one in a cell; of more, the points and a link to the first."""


def crosstable_section(story: Chronicle, order: Sequence[str]) -> Html:
    """`order` is that of the standings, all players."""
    meetings = crosstable(story.tournament)
    if not meetings:
        return Html("")
    columns = [
        Column("Place", is_number=True),
        Column("Player"),
        *(Column(place, is_number=True, title=name) for place, name in enumerate(order, start=1)),
        Column("Points", is_number=True),
    ]
    rows = [_row(place, name, order, meetings) for place, name in enumerate(order, start=1)]
    note = "The row's player's points against each of the others; every figure leads to its game."
    return section(
        "crosstable",
        "Crosstable",
        tag("p", note, css="quiet"),
        table("Crosstable", columns, rows, heads=2),
    )


def _row(
    place: int, name: str, order: Sequence[str], meetings: Mapping[tuple[str, str], Meeting]
) -> list[object]:
    total = sum(meetings[name, other].points for other in order if (name, other) in meetings)
    cells = [_cell(name, other, meetings.get((name, other))) for other in order]
    return [place, name, *cells, points_words(total)]


def _cell(name: str, other: str, meeting: Meeting | None) -> object:
    if name == other:
        return tag("span", "×", css="quiet", aria_label="the player")
    if meeting is None:
        return ""
    if len(meeting.games) <= SHOWN_GAMES:
        return joined(_links(meeting, other), " ")
    first = meeting.games[0][0].scheduled.number
    points = points_words(meeting.points)
    return joined([link(f"game-{first}", points), f"/{len(meeting.games)}"])


def _links(meeting: Meeting, other: str) -> Iterator[Html]:
    for game, points in meeting.games:
        number = game.scheduled.number
        words = points_words(points)
        yield link(f"game-{number}", words, aria_label=f"{words} against {other} in game {number}")
