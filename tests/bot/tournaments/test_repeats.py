"""Repeated games count once."""

from bot.tournaments.outcomes import outcomes
from bot.tournaments.repeats import Repeat, repeats
from tests.bot.tournaments.event_making import Book


def test_the_same_turns_on_the_same_seats_are_a_repeat() -> None:
    book = Book("a b")
    book.pair(1, "a", "b", games=6)
    for game, way in ((5, "x"), (1, "x"), (2, "x"), (3, "x"), (4, "y"), (6, "z")):
        book.finish(game, "1", fingerprint=way)
    played = book.tournament.played.values()
    assert repeats(played) == [Repeat(3, 1), Repeat(5, 1)]
    counted = outcomes(book.tournament)
    assert [(game.pair, game.seats[0]) for game in counted] == [
        *((1, "a"), (1, "b"), (2, "b"), (3, "b"))
    ]


def test_games_with_another_winner_or_without_a_turn_do_not_repeat() -> None:
    book = Book("a b")
    book.pair(1, "a", "b", games=6)
    book.finish(1, "1", fingerprint="x")
    book.finish(3, "0", reason="time_forfeit", fingerprint="x")
    book.finish(2, "1", reason="no_show", fingerprint="none")
    book.finish(4, "1", reason="no_show", fingerprint="none")
    assert repeats(book.tournament.played.values()) == []


def test_a_no_show_has_no_outcome() -> None:
    book = Book("a b")
    book.pair(1, "a", "b", games=2)
    book.finish(1, "1", reason="no_show")
    book.finish(2, "1", reason="crash")
    assert [(game.seats, game.points) for game in outcomes(book.tournament)] == [(("b", "a"), 1)]
