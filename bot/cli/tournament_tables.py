"""A tournament in the terminal: its standings, the remaining games, and the last results."""

from collections.abc import Iterator
from typing import Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from bot.matches.report import Chronicle
from bot.matches.report.conditions import games_words, state_words
from bot.matches.report.head_to_head import head_to_head_words
from bot.matches.report.measures import faults_of, tallies
from bot.matches.report.standings import exaggerated_words, sequential_words, zero_words
from bot.matches.report.statistics import Statistics, format_kind, statistics
from bot.matches.report.words import (
    decimal,
    end_words,
    interval_words,
    points_words,
    score_words,
    setup_words,
    signed,
)
from bot.runtime.output import plain
from bot.tournaments.ratings import EloRating
from bot.tournaments.tie_breaks import TieBreak

LAST_GAMES: Final = 5
TIE_BREAKS: Final[dict[TieBreak, str]] = {
    "buchholz": "buch.",
    "buchholz_cut_1": "cut 1",
    "sonneborn_berger": "s.-b.",
    "direct_encounter": "dir.",
    "wins": "wins",
    "game_points": "games",
}
"""Short headings, for a terminal of 80 columns."""
BOUNDED: Final = "*"
BOUNDED_WORDS: Final = "bounded only by the prior: the results alone do not limit this rating"
LONG: Final[dict[TieBreak, str]] = {
    "buchholz": "Buchholz",
    "buchholz_cut_1": "Buchholz without the lowest",
    "sonneborn_berger": "Sonneborn-Berger",
    "direct_encounter": "direct encounter",
    "game_points": "game points",
}


def overview(story: Chronicle, anchor: str | None = None) -> RenderableType:
    """Render the heading, the standings and the last games.

    Raises ConfigurationError if no player has the anchor's name.
    """
    return Group(*_parts(story, statistics(story, anchor)))


def _parts(story: Chronicle, found: Statistics) -> Iterator[RenderableType]:
    yield Text(plain(story.began.name), style="bold")
    setups = [setup_words(setup) for setup in story.began.setups]
    facts = [format_kind(story), games_words(story), state_words(story), *setups]
    yield Text(plain("; ".join(fact for fact in facts if fact)), style="dim")
    yield Text()
    yield standings_table(story, found)
    if legend := _legend(found):
        yield Text(legend, style="dim")
    yield from (Text(plain(line)) for line in elo_notes(found))
    if found.sequential is not None and found.match is None:
        yield Text()
        yield Text(plain(sequential_words(found.sequential)))
    if rounds := _round_words(story):
        yield Text(plain(rounds))
    if last := list(_last(story)):
        yield Text()
        yield from last


def _round_words(story: Chronicle) -> str:
    """The round that was paired last, and its byes; empty in round 1 without a bye."""
    number = story.tournament.round
    byes = [bye.player for bye in story.tournament.byes if bye.round == number]
    if byes:
        return f"Round {number}, bye: {', '.join(byes)}."
    return f"Round {number}." if number > 1 else ""


def standings_table(story: Chronicle, found: Statistics) -> Table:
    """One row per player; names are shortened in narrow terminals."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("", justify="right", no_wrap=True, min_width=2)
    table.add_column("player", overflow="ellipsis", no_wrap=True, min_width=4)
    breaks = [each for each in found.tie_breaks if _tells_something(found, each)]
    shorts = [TIE_BREAKS[each] for each in breaks]
    elo = () if found.match else ("elo", "95 %")
    for head in ("pts", *shorts, *elo, "w-d-l", "faults"):
        table.add_column(head, justify="right", no_wrap=True)
    rated = {row.name: row for row in found.ratings.rows}
    counts, faults = tallies(story), faults_of(story)
    for place, row in enumerate(found.standings, start=1):
        table.add_row(
            str(row.rank if found.is_event else place),
            plain(row.name),
            points_words(row.points),
            *(decimal(row.tie_breaks[each]) for each in breaks),
            *(() if found.match else rating_cells(rated.get(row.name))),
            "-".join(map(str, counts[row.name])),
            str(faults[row.name] or ""),
            style="dim" if row.withdrawn is not None else None,
        )
    return table


def _legend(found: Statistics) -> str:
    """Explain the short headings of tie-breaks."""
    breaks = [each for each in found.tie_breaks if _tells_something(found, each)]
    return "; ".join(f"{TIE_BREAKS[each]} {LONG[each]}" for each in breaks if each in LONG)


def elo_notes(found: Statistics) -> Iterator[str]:
    """Lines below a table: what Elo is relative to, or the state of a match of two."""
    if found.match is not None:
        yield from head_to_head_words(found.match)
    elif found.ratings.rows:
        yield f"{zero_words(found)}."
        if note := exaggerated_words(found.ratings):
            yield note
        if any(row.is_bounded for row in found.ratings.rows):
            yield f"{BOUNDED} {BOUNDED_WORDS}."


def _tells_something(found: Statistics, tie_break: TieBreak) -> bool:
    return any(row.tie_breaks[tie_break] is not None for row in found.standings)


def rating_cells(rating: EloRating | None) -> tuple[str, ...]:
    """Elo, marked if only the prior bounds it, and its interval."""
    if rating is None:
        return "", ""
    return f"{signed(rating.elo)}{BOUNDED if rating.is_bounded else ''}", interval_words(rating)


def _last(story: Chronicle) -> Iterator[Text]:
    """The games that ended last, newest first."""
    newest = [*story.finishes.values()][: -LAST_GAMES - 1 : -1]
    for end in newest:
        played = story.tournament.played[end.game]
        first, second = played.scheduled.seats
        line = f"game {end.game}: {first} {score_words(played.result)} {second}"
        yield Text(plain(f"{line}, {end_words(played.result)}, {played.plies} turns"))
