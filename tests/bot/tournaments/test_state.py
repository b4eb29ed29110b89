"""What events come to."""

from bot.tournaments.events import Voided
from tests.bot.tournaments.event_making import Book


def test_it_is_known_how_often_a_game_was_void_and_why_last_also_when_it_has_been_played() -> None:
    book = Book("A B")
    book.pair(1, "A", "B", games=2)
    book.events += [
        Voided(game=1, why="The network was down."),
        Voided(game=1, why="The disk was full."),
    ]
    book.finish(1, "1")
    tournament = book.tournament
    assert (tournament.voids[1], tournament.void_reasons[1]) == (2, "The disk was full.")
    assert (tournament.voids[2], tournament.void_reasons.get(2)) == (0, None)
