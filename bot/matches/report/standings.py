"""The sections of standings, ratings and the sequential test."""

from collections.abc import Iterator
from typing import Final

from bot.matches.report.charts import Interval, gauge, interval_plot
from bot.matches.report.chronicle import Chronicle
from bot.matches.report.head_to_head import elo_unit
from bot.matches.report.markup import Column, Html, joined, section, table, tag
from bot.matches.report.measures import tallies
from bot.matches.report.statistics import SequentialTest, Statistics
from bot.matches.report.words import decimal, interval_words, percent, points_words, signed
from bot.tournaments.ratings import EloRating, RatingTable
from bot.tournaments.standings import Standing
from bot.tournaments.tie_breaks import TieBreak

TIE_BREAKS: Final[dict[TieBreak, str]] = {
    "buchholz": "Buchholz",
    "buchholz_cut_1": "Buchholz cut 1",
    "sonneborn_berger": "Sonneborn-Berger",
    "direct_encounter": "Direct",
    "wins": "Wins",
    "game_points": "Game points",
}
MOST_COMPARED: Final = 20
"""With more players, the table compares only neighbours."""


def standings_section(story: Chronicle, found: Statistics) -> Html:
    """Places, points and tie-breaks."""
    words = f"Sorted {_order(found)}. Points are those of pairings and byes."
    if found.match is None:
        words += f" {zero_words(found)}."
    note = tag("p", words, css="quiet")
    counts = tallies(story)
    elo = {row.name: row for row in found.ratings.rows}
    rows = [_row(row, found, counts[row.name], elo.get(row.name)) for row in found.standings]
    shown = table("Standings", _columns(found), rows, heads=2, is_titled=True)
    return section("standings", "Standings", note, shown)


def _order(found: Statistics) -> str:
    if found.is_bracket:
        return "by how far the players came"
    return "by points, then by the tie-breaks from left to right" if found.is_event else "by Elo"


def zero_words(found: Statistics) -> str:
    """The sentence that names the zero of Elo, for tables of more than two players."""
    anchor = found.ratings.anchor
    return f"Elo 0 is {'the mean of the players' if anchor is None else anchor}"


def exaggerated_words(rated: RatingTable) -> str:
    """The sentence for tables in which a rating is at the end of its interval; else empty."""
    at_end = [row for row in rated.rows if not row.is_bounded and row.elo in (row.low, row.high)]
    if not at_end:
        return ""
    return (
        "A rating at an end of its interval is probably exaggerated: there are few games, and the "
        "interval allows for luck."
    )


def _columns(found: Statistics) -> list[Column]:
    breaks = [Column(TIE_BREAKS[each], is_number=True) for each in found.tie_breaks]
    elo = [] if found.match else ["Elo"]
    heads = (*elo, "Games", "Won", "Drawn", "Lost")
    return [
        Column("Place", is_number=True),
        Column("Player"),
        Column("Points", is_number=True),
        *breaks,
        *(Column(head, is_number=True) for head in heads),
    ]


def _row(
    row: Standing, found: Statistics, counts: tuple[int, int, int], rating: EloRating | None
) -> list[object]:
    place = row.rank if found.is_event else found.order.index(row.name) + 1
    withdrew = tag("small", " withdrew") if row.withdrawn is not None else ""
    breaks = [decimal(row.tie_breaks[each]) for each in found.tie_breaks]
    elo = [] if found.match else ["–" if rating is None else signed(rating.elo)]
    name = joined((row.name, withdrew))
    return [place, name, points_words(row.points), *breaks, *elo, row.games, *counts]


def ratings_section(found: Statistics) -> Html:
    """Ratings with 95 % intervals; empty for a match of two, which has a section of its own."""
    rated = found.ratings
    if found.match or not rated.rows:
        return Html("")
    intervals = [Interval(row.name, row.elo, row.low, row.high) for row in rated.rows]
    plot = interval_plot(intervals, "Elo of each player with its 95 % interval")
    return section(
        "ratings",
        "Ratings",
        tag("p", joined(_how(found), " "), css="quiet"),
        plot,
        table("Ratings", RATING_COLUMNS, _rating_rows(found), is_titled=True),
        _superiority(found),
    )


RATING_COLUMNS: Final = (
    Column("Player"),
    Column("Elo", is_number=True),
    Column("95 %", is_number=True),
    Column("Games", is_number=True),
    Column("Score", is_number=True),
    Column("Ahead of the next", is_number=True, title="likelihood of being stronger than the next"),
)


def _rating_rows(found: Statistics) -> Iterator[tuple[object, ...]]:
    rows = found.ratings.rows
    for place, row in enumerate(rows):
        last = place + 1 == len(rows)
        ahead = "" if last else _likely(found, row.name, rows[place + 1].name)
        bounded = tag("small", " bounded") if row.is_bounded else ""
        score = percent(row.points / row.games, 1)
        yield (
            joined((row.name, bounded)),
            signed(row.elo),
            interval_words(row),
            row.games,
            score,
            ahead,
        )


def _how(found: Statistics) -> Iterator[str]:
    rated = found.ratings
    yield (
        f"One fit of all {rated.games} games that count in ratings. {zero_words(found)}. "
        f"Intervals count {rated.pairs} pairs of games."
    )
    if rated.advantage is not None:
        advantage = f"{signed(rated.advantage.value)} ({interval_words(rated.advantage)})"
        yield f"The first player's advantage is {advantage}."
    if note := exaggerated_words(rated):
        yield note
    if any(row.is_bounded for row in rated.rows):
        yield (
            "Bounded: the games alone do not determine the rating, for example of a player who won "
            "or lost all of them. A prior limits it."
        )


def _superiority(found: Statistics) -> Html:
    names = [row.name for row in found.ratings.rows]
    if not 2 < len(names) <= MOST_COMPARED:
        return Html("")
    columns = [Column("Player"), *(Column(name, is_number=True) for name in names)]
    rows = [
        [one, *("×" if one == other else _likely(found, one, other) for other in names)]
        for one in names
    ]
    return table("Likelihood that the row's player is stronger than the column's", columns, rows)


def _likely(found: Statistics, one: str, other: str) -> str:
    return percent(found.ratings.superiority(one, other))


def sequential_section(sequential: SequentialTest | None) -> Html:
    """The sequential test: its likelihood ratio between the bounds, and its verdict."""
    if sequential is None:
        return Html("")
    test = sequential.test
    bounds = test.bounds
    drawn = gauge(test.ratio, bounds.lower, bounds.upper, sequential_words(sequential))
    elo = elo_unit(bounds).strip() or "Elo"
    rates = (
        f"H0: {bounds.elo0:g} {elo}, H1: {bounds.elo1:g} {elo}. The test accepts H1 wrongly in "
        f"{percent(bounds.alpha)} of cases, and H0 in {percent(bounds.beta)}. "
        f"It has counted {sum(test.counts.pairs)} pairs of games."
    )
    return section(
        "sprt",
        "Sequential test",
        tag("p", sequential_words(sequential)),
        drawn,
        tag("p", rates, css="quiet"),
    )


def sequential_words(sequential: SequentialTest) -> str:
    """The state of the test in one line."""
    test = sequential.test
    says = {"H0": "H0 is accepted", "H1": "H1 is accepted", None: "not decided"}[test.verdict]
    low, high = signed(test.bounds.lower, 2), signed(test.bounds.upper, 2)
    ratio = f"log-likelihood ratio {signed(test.ratio, 2)}, bounds {low} and {high}"
    return f"{sequential.player} against {sequential.opponent}: {says}, {ratio}"
