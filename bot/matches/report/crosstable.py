"""The crosstable, with a link to every game."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from bot.matches.report.chronicle import Chronicle
from bot.matches.report.markup import Column, Html, joined, link, section, table, tag
from bot.matches.report.words import points_words
from bot.tournaments.state import Tournament


@dataclass(frozen=True)
class CrosstableGame:
    """A game in a cell, with the seat and the points of the row's player."""

    number: int
    seat: int
    points: float


@dataclass(frozen=True)
class CrosstableCell:
    """All games between the player of the row and the player of the column, by number."""

    games: tuple[CrosstableGame, ...] = ()

    @property
    def points(self) -> float:
        return sum(game.points for game in self.games)


@dataclass(frozen=True)
class Crosstable:
    """Rows and columns in the order of `names`. The cell of a player against itself is None."""

    names: tuple[str, ...]
    rows: tuple[tuple[CrosstableCell | None, ...], ...]


def crosstable(tournament: Tournament, names: Sequence[str]) -> Crosstable:
    """The crosstable of these players, in this order."""
    games: defaultdict[tuple[str, str], list[CrosstableGame]] = defaultdict(list)
    for number, game in sorted(tournament.played.items()):
        first, second = game.scheduled.seats
        for seat, pair in ((1, (first, second)), (2, (second, first))):
            games[pair].append(CrosstableGame(number, seat, game.result.points(seat)))
    rows = (
        tuple(None if one == other else CrosstableCell(tuple(games[one, other])) for other in names)
        for one in names
    )
    return Crosstable(tuple(names), tuple(rows))


SHOWN_GAMES: Final = 2
"""A cell with up to this many games shows them one by one. With more it shows the points, with a
link to their list."""


def crosstable_section(story: Chronicle, order: Sequence[str]) -> Html:
    """The section of the crosstable. `order` has all players in the order of the standings."""
    if not story.tournament.played:
        return Html("")
    columns = [
        Column("Place", is_number=True),
        Column("Player"),
        *(Column(place, is_number=True, title=name) for place, name in enumerate(order, start=1)),
        Column("Points", is_number=True),
    ]
    made = crosstable(story.tournament, order)
    rows = [
        _row(story, place, name, order, row)
        for place, (name, row) in enumerate(zip(order, made.rows, strict=True), start=1)
    ]
    note = "Points of the row's player against the column's player. Figures link to the games."
    return section(
        "crosstable",
        "Crosstable",
        tag("p", note, css="quiet"),
        table("Crosstable", columns, rows, heads=2, is_titled=True),
    )


def _row(
    story: Chronicle,
    place: int,
    name: str,
    order: Sequence[str],
    cells: Sequence[CrosstableCell | None],
) -> list[object]:
    total = sum(cell.points for cell in cells if cell is not None)
    shown = [_cell(story, other, cell) for other, cell in zip(order, cells, strict=True)]
    return [place, name, *shown, points_words(total)]


def _cell(story: Chronicle, other: str, cell: CrosstableCell | None) -> object:
    if cell is None:
        return tag("span", "×", css="quiet")
    if len(cell.games) <= SHOWN_GAMES:
        return joined(_links(cell, other), " ")
    points = points_words(cell.points)
    said = f"{points} of {len(cell.games)} against {other}"
    pairing = story.tournament.pairing_of(cell.games[0].number).number
    return link(f"pairing-{pairing}", f"{points}/{len(cell.games)}", aria_label=said)


def _links(cell: CrosstableCell, other: str) -> Iterator[Html]:
    for game in cell.games:
        words = points_words(game.points)
        said = f"{words} against {other} in game {game.number}"
        yield link(f"game-{game.number}", words, aria_label=said)
