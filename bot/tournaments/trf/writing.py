"""Writes a report file of a Swiss (TRF16 with `XXR` and `XXC`), which pairing programs read."""

from collections.abc import Iterator, Sequence
from typing import Final

from bot.tournaments.dutch.card import Card, RoundToPair
from bot.tournaments.model import Entrant
from bot.tournaments.trf.entries import written

NAME_COLUMNS: Final = 33
MOST_ELO: Final = 9999


def report_lines(
    coming: RoundToPair, title: str, entrants: Sequence[Entrant], bye_points: float
) -> Iterator[str]:
    """The lines of a report of the rounds before `coming`.

    Players who withdrew are absent (`Z`) in the column of the next round.
    """
    yield f"012 {_plain(title)}"
    yield f"062 {len(entrants)}"
    yield "092 Individual: Swiss-System (FIDE Dutch)"
    yield f"XXR {coming.rounds}"
    yield f"XXC {'white1' if coming.first_sits_first else 'black1'}"
    if bye_points != coming.points.win:
        yield f"BBU {bye_points:4.1f}"
    for pair in sorted(map(sorted, coming.forbidden)):
        yield "XXP " + " ".join(map(str, pair))
    ranks = _ranks(coming.cards)
    for card, entrant in zip(coming.cards, entrants, strict=True):
        entries = [written(line, coming.points) for line in card.lines]
        if card.is_absent and coming.number <= coming.rounds:
            entries.append("0000 - Z")
        name = _plain(entrant.name)[:NAME_COLUMNS].ljust(NAME_COLUMNS)
        head = f"001 {card.number:4}      {name} {_elo(entrant):>4}"
        columns = [f"{head:80}{card.points:4.1f} {ranks[card.number]:4}", *entries]
        yield "  ".join(columns)


def _ranks(cards: Sequence[Card]) -> dict[int, int]:
    ranked = sorted(cards, key=lambda card: (-card.points, card.number))
    return {card.number: rank for rank, card in enumerate(ranked, start=1)}


def _plain(text: str) -> str:
    return " ".join(text.split())


def _elo(entrant: Entrant) -> str:
    """The rating in four columns; empty if it does not fit."""
    rating = entrant.rating
    return "" if rating is None or not 0 <= rating <= MOST_ELO else f"{rating:.0f}"
