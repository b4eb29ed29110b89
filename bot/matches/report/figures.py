"""Sections of statistics: first player, lengths, ends, time, pairs and repeated games."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from bot.matches.report.charts import histogram
from bot.matches.report.chronicle import Chronicle
from bot.matches.report.markup import Column, Html, joined, link, listed, section, table, tag
from bot.matches.report.measures import (
    FirstPlayer,
    ends_by_player,
    first_player,
    first_player_by_setup,
    lengths,
    times_used,
)
from bot.matches.report.statistics import Statistics
from bot.matches.report.words import (
    REASONS,
    elo_words,
    interval_words,
    percent,
    seconds,
    setup_words,
)
from bot.tournaments.model import FAULTS
from bot.tournaments.pentanomial import Pentanomial, elo_difference


def first_player_section(story: Chronicle) -> Html:
    """The score and the Elo advantage of the first seat, with 95 % intervals."""
    by_setup = first_player_by_setup(story)
    if not by_setup:
        return Html("")
    rows = [
        _advantage(setup_words(story.began.setups[place]), found)
        for place, found in by_setup.items()
    ]
    if len(rows) > 1:
        counted = [game for game in story.played() if game.replaced is None]
        rows.append(_advantage("all", first_player(counted)))
    columns = (
        Column("Setup"),
        *(Column(head, is_number=True) for head in ("Games", "Share", "95 %", "Elo", "95 %")),
    )
    note = "The first seat's share of the points, and the corresponding Elo advantage."
    return section(
        "first-player",
        "The first player's advantage",
        tag("p", note, css="quiet"),
        table("Advantage of the first player", columns, rows, is_titled=True),
    )


def _advantage(name: str, found: FirstPlayer) -> list[object]:
    elo, low, high = map(elo_words, found.elo)
    share = f"{percent(found.low)} to {percent(found.high)}"
    return [name, found.games, percent(found.share, 1), share, elo, f"{low} to {high}"]


def lengths_section(story: Chronicle) -> Html:
    """The lengths of games that were played out, with a chart for each setup."""
    return section("lengths", "Lengths of games", joined(_length_charts(story)))


def _length_charts(story: Chronicle) -> Iterator[Html]:
    for place, found in lengths(story).items():
        setup = setup_words(story.began.setups[place])
        mean = sum(found) / len(found)
        title = (
            f"{setup}: {len(found)} games that were played out, "
            f"{min(found)} to {max(found)} turns, {mean:.1f} on average"
        )
        yield tag("figure", tag("figcaption", title), histogram(found, title))


def ends_section(story: Chronicle) -> Html:
    """How games ended, and the faults of each player."""
    reasons = Counter(game.result.reason for game in story.played())
    if not reasons:
        return Html("")
    total = reasons.total()
    rows = [
        [REASONS[reason], count, percent(count / total)] for reason, count in reasons.most_common()
    ]
    columns = (Column("End"), Column("Games", is_number=True), Column("Share", is_number=True))
    ends = table("Games by how they ended", columns, rows)
    return section("ends", "How games ended", ends, _faults(story))


def _faults(story: Chronicle) -> Html:
    ends = ends_by_player(story)
    seen = [
        reason
        for reason in REASONS
        if reason in FAULTS and any(each[reason, "lost"] for each in ends.values())
    ]
    if not seen:
        return tag("p", "No game was lost by a fault.")
    columns = (Column("Player"), *(Column(REASONS[each], is_number=True) for each in seen))
    rows = [
        [name, *(found[reason, "lost"] or "" for reason in seen)] for name, found in ends.items()
    ]
    return table("Games lost by a fault, by player", columns, rows)


def time_section(story: Chronicle) -> Html:
    """The time that each player used."""
    used = times_used(story)
    if not used:
        return Html("")
    heads = ("Turns", "Mean", "Longest", "Share of its budget")
    columns = (Column("Player"), *(Column(head, is_number=True) for head in heads))
    rows = [
        [name, each.turns, seconds(each.mean_ms), seconds(each.longest_ms), percent(each.share)]
        for name, each in used.items()
    ]
    return section(
        "time", "Time used", table("Time that each player used", columns, rows, is_titled=True)
    )


SCORES: Final = ("0", "½", "1", "1½", "2")


def pairs_section(found: Statistics) -> Html:
    """The pairs of games of every two players who met, from the leader's view."""
    order = found.order
    met = [(one, two) for place, one in enumerate(order) for two in order[place + 1 :]]
    rows = [_row(*names, found.pairs[names]) for names in met if names in found.pairs]
    if not rows:
        return Html("")
    columns = (
        Column("Players"),
        *(Column(score, is_number=True, title=f"pairs with {score} points") for score in SCORES),
        Column("Single", title="lost, drawn and won games without a partner"),
        Column("Elo", is_number=True),
        Column("95 %", is_number=True),
    )
    note = "Pairs of games from one opening, by the points of the player who is named first."
    shown = table("Pairs of games by their points (pentanomial counts)", columns, rows)
    return section("pairs", "Pairs of games", tag("p", note, css="quiet"), shown)


def _row(one: str, two: str, counts: Pentanomial) -> list[object]:
    elo = elo_difference(counts)
    figures = ("", "") if elo is None else (elo_words(elo.value), interval_words(elo))
    singles = "/".join(map(str, counts.singles)) if any(counts.singles) else ""
    return [f"{one} – {two}", *(count or "" for count in counts.pairs), singles, *figures]


def repeats_section(story: Chronicle, found: Statistics) -> Html:
    """The games that repeat another game; they do not count in ratings."""
    played = len(story.tournament.played)
    if not played:
        return Html("")
    items = [
        joined(
            (
                link(f"game-{each.game}", f"Game {each.game}"),
                " repeats ",
                link(f"game-{each.first}", f"game {each.first}"),
            )
        )
        for each in found.repeats
    ]
    words = (
        f"{len(items)} of {played} games repeat another one turn by turn, and do not count in "
        "ratings."
        if items
        else f"None of the {played} games repeats another one."
    )
    return section("repeats", "Repeated games", tag("p", words), listed(items, css="results"))
