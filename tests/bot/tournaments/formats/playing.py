"""A host in memory. A test decides the results of the games."""

from collections.abc import Callable, Iterator

from bot.tournaments.formats.base import Draw, Format
from bot.tournaments.model import GameResult, Pairing
from bot.tournaments.state import Tournament
from lab.tournaments.swiss_events import began, finished, scheduled

Decide = Callable[[Pairing], GameResult]

FIRST = GameResult(winner=1, reason="played_out")
SECOND = GameResult(winner=2, reason="played_out")
DRAWN = GameResult(winner=None, reason="played_out")
ABSENT_SECOND = GameResult(winner=1, reason="no_show")
NOBODY = GameResult(winner=None, reason="no_show")


def tournament_of(players: int, seed: int = 1) -> Tournament:
    """A tournament of `player 1`, `player 2` and so on."""
    return Tournament(began(players, seed))


def name(number: int) -> str:
    return f"player {number}"


def pair(tournament: Tournament, draw: Draw) -> None:
    tournament.apply(scheduled(tournament, draw))


def finish(tournament: Tournament, decide: Decide) -> None:
    """Finish all remaining games."""
    for game in tournament.waiting():
        result = decide(tournament.pairing_of(game.number))
        tournament.apply(finished(game.number, result))


def rounds(form: Format, tournament: Tournament, decide: Decide) -> Iterator[Draw]:
    """Play a tournament round by round. Yields each draw after pairing, before its games."""
    everybody = tournament.players
    while (draw := form.due(tournament, everybody)) is not None:
        assert draw == form.due(tournament, everybody)
        pair(tournament, draw)
        yield draw
        finish(tournament, decide)
    assert form.is_over(tournament)


def first_wins(pairing: Pairing) -> GameResult:
    del pairing
    return FIRST


def stronger_wins(pairing: Pairing) -> GameResult:
    """The player who is higher in the initial order wins."""
    one, two = (int(each.split()[1]) for each in pairing.players)
    return FIRST if one < two else SECOND
