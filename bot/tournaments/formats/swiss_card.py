"""Cards for the pairing of a Swiss round, from what a tournament has written down."""

from bot.tournaments.dutch.card import Card, Line
from bot.tournaments.formats.outcomes import match_points, was_played
from bot.tournaments.model import Pairing
from bot.tournaments.state import Tournament


def cards(tournament: Tournament) -> tuple[Card, ...]:
    """One for each player who ever entered, in the initial order; late players were absent before.

    Lines are those of the complete rounds.
    """
    numbers = {each.name: place for place, each in enumerate(tournament.entrants, start=1)}
    past = tournament.round - (not tournament.is_round_complete())
    rounds: list[dict[str, Line]] = [{} for _ in range(past)]
    for bye in tournament.byes:
        if bye.round <= past:
            rounds[bye.round - 1][bye.player] = Line(bye.points, is_bye=True)
    for pairing in tournament.pairings.values():
        if pairing.round <= past:
            rounds[pairing.round - 1].update(_lines(tournament, pairing, numbers))
    return tuple(
        Card(
            number,
            tuple(lines.get(name, Line()) for lines in rounds),
            name in tournament.withdrawn,
        )
        for name, number in numbers.items()
    )


def _lines(tournament: Tournament, pairing: Pairing, numbers: dict[str, int]) -> dict[str, Line]:
    points, played = match_points(tournament, pairing), was_played(tournament, pairing)
    return {
        name: Line(share, numbers[other], sat_first=seat == 0, was_played=played)
        for seat, (name, other, share) in enumerate(
            zip(pairing.players, pairing.players[::-1], points, strict=True)
        )
    }
