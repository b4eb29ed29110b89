"""Pairs of games of one opening, and games that went as another one went."""

from typing import Final

from bot.matches.report.chronicle import Chronicle
from bot.matches.report.markup import Column, Html, joined, link, listed, section, table, tag
from bot.matches.report.statistics import Statistics
from bot.matches.report.words import elo_words, interval_words
from bot.tournaments.pentanomial import Pentanomial, elo_difference

SCORES: Final = ("0", "½", "1", "1½", "2")


def pairs_section(found: Statistics) -> Html:
    """Of each two that met, in the view of the one who leads."""
    order = found.order
    met = [(one, two) for place, one in enumerate(order) for two in order[place + 1 :]]
    rows = [_row(*names, found.pairs[names]) for names in met if names in found.pairs]
    if not rows:
        return Html("")
    columns = (
        Column("Players"),
        *(Column(score, is_number=True, title=f"pairs with {score} points") for score in SCORES),
        Column("Single", title="lost, drawn, won without a partner"),
        Column("Elo", is_number=True),
        Column("95 %", is_number=True),
    )
    note = "Pairs of games of one opening with the seats changed, by the first-named's points."
    shown = table("Pairs of games by their points (pentanomial counts)", columns, rows)
    return section("pairs", "Pairs of games", tag("p", note, css="quiet"), shown)


def _row(one: str, two: str, counts: Pentanomial) -> list[object]:
    elo = elo_difference(counts)
    figures = ("", "") if elo is None else (elo_words(elo.value), interval_words(elo))
    singles = "/".join(map(str, counts.singles)) if any(counts.singles) else ""
    return [f"{one} – {two}", *(count or "" for count in counts.pairs), singles, *figures]


def repeats_section(story: Chronicle, found: Statistics) -> Html:
    """Games that say nothing new, and count once in the ratings."""
    played = len(story.tournament.played)
    if not played:
        return Html("")
    items = [
        joined(
            (
                link(f"game-{each.game}", f"Game {each.game}"),
                " went as ",
                link(f"game-{each.first}", f"game {each.first}"),
            )
        )
        for each in found.repeats
    ]
    words = (
        f"{len(items)} of {played} games repeat another one turn by turn, and count for no rating."
        if items
        else f"None of the {played} games repeats another one."
    )
    return section("repeats", "Repeated games", tag("p", words), listed(items, css="results"))
