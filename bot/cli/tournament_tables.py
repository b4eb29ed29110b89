"""A tournament in the terminal: where it stands, what is left, what happened last."""

from collections.abc import Iterator
from typing import Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from bot.matches.report import Chronicle
from bot.matches.report.facts import games_words, state_words
from bot.matches.report.placings import placings
from bot.matches.report.words import end_words, format_words, points_words, score_words, setup_words

LAST_GAMES: Final = 5


def overview(story: Chronicle) -> RenderableType:
    """The heading, the standings and the last games."""
    return Group(*_parts(story))


def _parts(story: Chronicle) -> Iterator[RenderableType]:
    yield Text(plain(story.began.name), style="bold")
    setups = [setup_words(setup) for setup in story.began.setups]
    facts = [format_words(story), games_words(story), state_words(story), *setups]
    yield Text(plain("; ".join(fact for fact in facts if fact)), style="dim")
    yield Text()
    yield standings_table(story)
    if last := list(_last(story)):
        yield Text()
        yield from last


def standings_table(story: Chronicle) -> Table:
    """A line a player."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("", justify="right")
    table.add_column("player", no_wrap=True)
    for head in ("points", "games", "won", "drawn", "lost"):
        table.add_column(head, justify="right")
    for each in placings(story):
        counts = (each.games, each.won, each.drawn, each.lost)
        style = "dim" if each.withdrew is not None else None
        points = points_words(each.points)
        cells = (str(each.place), plain(each.name), points, *map(str, counts))
        table.add_row(*cells, style=style)
    return table


def _last(story: Chronicle) -> Iterator[Text]:
    """The games that were over last, the newest first."""
    newest = [*story.finishes.values()][: -LAST_GAMES - 1 : -1]
    for end in newest:
        played = story.tournament.played[end.game]
        first, second = played.scheduled.seats
        line = f"game {end.game}: {first} {score_words(played.result)} {second}"
        yield Text(plain(f"{line}, {end_words(played.result)}, {played.plies} turns"))


def plain(text: str) -> str:
    """Without characters that a terminal would obey: names come from a file."""
    return "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in text)
