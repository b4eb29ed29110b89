"""Points and tie-breaks of events, with examples computed by hand from FIDE C.07 (2026)."""

import pytest

from bot.tournaments.encounters import record_of
from bot.tournaments.events import Replaced, Stopped, Withdrew
from bot.tournaments.standings import ROUND_ROBIN_ORDER, Standing, standings
from bot.tournaments.tie_breaks import TieBreak, direct_encounter
from tests.bot.tournaments.event_making import Book

ALL: tuple[TieBreak, ...] = ("buchholz_cut_1", "buchholz", "sonneborn_berger", "wins")


def swiss_with_all_kinds_of_unplayed_rounds() -> Book:
    """E has the bye of round 1. In round 2 D is a no-show and B has half a point. D withdraws."""
    book = Book("A B C D E")
    book.play(1, "A", "1", "B")
    book.play(1, "C", "1", "D")
    book.bye(1, "E")
    book.play(2, "A", "1", "C")
    book.play(2, "E", "1", "D", reason="no_show")
    book.bye(2, "B", 0.5)
    book.events.append(Withdrew(player="D", why="gone"))
    book.play(3, "A", "=", "E")
    book.play(3, "B", "1", "C")
    return book


def by_name(rows: list[Standing]) -> dict[str, Standing]:
    return {row.name: row for row in rows}


def test_unplayed_rounds_count_as_article_16_says() -> None:
    """A to E have the scores 2.5, 1.5, 1, 0 and 2.5. For opponents D has 0.5: leaving is a draw.

    B: 2.5 + 1.5 (a dummy) + 1. Cut 1 removes the dummy, because B requested that bye.
    E: 1.5 (a dummy, at most half of the rounds) + 0.5 (a dummy, at most D's score) + 2.5.
    D: 1 + 0 + 0, with dummies of D's own score.
    """
    tournament = swiss_with_all_kinds_of_unplayed_rounds().tournament
    rows = by_name(standings(tournament, ALL, is_swiss=True))
    found = {name: (row.points, *row.tie_breaks.values()) for name, row in rows.items()}
    assert found == {
        "A": (2.5, 4.0, 5.0, 1.5 + 1 + 0.5 * 2.5, 2),
        "B": (1.5, 3.5, 5.0, 0.5 * 1.5 + 1, 1),
        "C": (1.0, 4.0, 4.5, 0.5, 1),
        "D": (0.0, 1.0, 1.0, 0, 0),
        "E": (2.5, 4.0, 4.5, 1.5 + 0.5 + 0.5 * 2.5, 2),
    }
    assert [(row.rank, row.name) for row in rows.values()] == [
        *((1, "A"), (2, "E"), (3, "B"), (4, "C"), (5, "D"))
    ]
    assert rows["D"].withdrawn == "gone"


def test_a_late_entrant_has_byes_in_the_rounds_before() -> None:
    """They are not at the end, so opponents count them as they are: 0 points."""
    book = Book("A B C D")
    book.play(1, "A", "1", "B")
    book.play(2, "C", "1", "D")
    book.play(2, "A", "1", "B")
    found = record_of(book.tournament, is_swiss=True)
    assert (found.points("C"), found.adjusted("C"), found.adjusted("D")) == (1, 1, 0)


def test_tie_breaks_apply_in_the_order_of_the_settings() -> None:
    tournament = swiss_with_all_kinds_of_unplayed_rounds().tournament
    shared = standings(tournament, ("buchholz_cut_1", "wins"), is_swiss=True)
    assert [(row.rank, row.name) for row in shared[:3]] == [(1, "A"), (1, "E"), (3, "B")]
    decided = standings(tournament, ("wins", "sonneborn_berger"), is_swiss=True)
    assert [row.rank for row in decided] == [1, 2, 3, 4, 5]


def test_the_player_with_more_points_in_its_games_wins_a_pairing() -> None:
    book = Book("A B C")
    book.play(1, "A", "1===", "B")
    book.play(2, "B", "10==", "C")
    book.play(3, "C", "=0", "A")
    rows = by_name(standings(book.tournament, ("game_points",), is_swiss=False))
    assert {name: (row.points, row.game_points) for name, row in rows.items()} == {
        "A": (1.0, 2.5 + 0.5),
        "B": (1.0, 1.5 + 3.0),
        "C": (1.0, 1.0 + 1.5),
    }
    assert [rows[name].rank for name in "ABC"] == [2, 1, 3]
    assert (rows["A"].games, rows["A"].pairings) == (6, 2)


def test_an_unfinished_pairing_gives_only_game_points() -> None:
    book = Book("A B")
    book.pair(1, "A", "B", games=2)
    book.finish(1, "1")
    (first, second) = standings(book.tournament, ALL, is_swiss=True)
    assert (first.points, first.game_points, first.pairings) == (0, 1, 0)
    assert (second.points, first.rank, second.rank) == (0, 1, 1)


def test_a_stopped_pairing_counts_with_its_played_games() -> None:
    book = Book("A B C D")
    book.pair(1, "A", "B", games=2)
    book.finish(1, "1")
    book.pair(1, "C", "D", games=2)
    book.events += [Stopped(pairing=1, why="void twice"), Stopped(pairing=2, why="void twice")]
    found = record_of(book.tournament, is_swiss=True)
    assert [found.points(name) for name in "ABCD"] == [1, 0, 0.5, 0.5]
    assert [found.of[name][0].is_played for name in "ABCD"] == [True, True, False, False]
    assert not found.of["C"][0].is_voluntary


def test_a_pairing_without_both_players_gives_no_points() -> None:
    book = Book("A B")
    book.play(1, "A", "=", "B", reason="no_show")
    rows = standings(book.tournament, (), is_swiss=True)
    assert {(row.points, row.game_points) for row in rows} == {(0.0, 0.0)}


def test_a_replaced_result_counts_and_a_result_without_a_game_is_unplayed() -> None:
    book = Book("A B C D")
    book.play(1, "A", "1", "B")
    book.pair(1, "C", "D")
    book.events += [
        Replaced(game=1, winner=2, why="cheated"),
        Replaced(game=2, winner=1, why="broken machine"),
    ]
    found = record_of(book.tournament, is_swiss=True)
    assert [found.points(name) for name in "ABCD"] == [0, 1, 1, 0]
    assert [found.of[name][0].is_played for name in "AC"] == [True, False]


def round_robin(results: str) -> Book:
    """One pairing per round, in the form `AB1 AC0`."""
    names = sorted({name for each in results.split() for name in each[:2]})
    book = Book(" ".join(names))
    for number, each in enumerate(results.split(), start=1):
        book.play(number, each[0], each[2], each[1])
    return book


def test_forfeits_in_a_round_robin_are_games() -> None:
    """15.2: Sonneborn-Berger of A is the score of B, 1, although B never came."""
    book = Book("A B C")
    book.play(1, "A", "1", "B", reason="no_show")
    book.play(2, "B", "1", "C")
    book.play(3, "C", "1", "A")
    rows = by_name(standings(book.tournament, ROUND_ROBIN_ORDER, is_swiss=False))
    assert rows["A"].tie_breaks["sonneborn_berger"] == 1


@pytest.mark.parametrize(
    ("results", "tied", "expected"),
    [
        ("AB1 BC1 AC1", "CBA", [["A"], ["B"], ["C"]]),
        ("AB1 BC1 CA1", "ABC", [["A", "B", "C"]]),
        ("AB= AC1 BC1", "ABC", [["A", "B"], ["C"]]),
        ("AB1 AC0 AD1 BC= BD1 CD=", "ABCD", [["C"], ["A"], ["B"], ["D"]]),
        ("AB1 AB0 AC1 BC1 BC1", "ABC", [["A", "B"], ["C"]]),
    ],
    ids=[
        "all in order",
        "a circle",
        "a tie at the top",
        "sub-ties again",
        "several pairings: mean",
    ],
)
def test_direct_encounter_when_all_met(results: str, tied: str, expected: list[list[str]]) -> None:
    """In the fourth case A and C have 2 points each, and C has won against A."""
    found = record_of(round_robin(results).tournament, is_swiss=True)
    assert direct_encounter(found, list(tied)) == expected


def test_direct_encounter_with_a_pairing_missing() -> None:
    """A has beaten both others, so B against C does not matter for the first place (6.3)."""
    found = record_of(round_robin("AB1 AC1").tournament, is_swiss=True)
    assert direct_encounter(found, ["C", "B", "A"]) == [["A"], ["C", "B"]]
    found = record_of(round_robin("AB1 BC1").tournament, is_swiss=True)
    assert direct_encounter(found, ["A", "B", "C"]) == [["A", "B", "C"]]


def test_direct_encounter_in_a_swiss_ignores_no_shows() -> None:
    book = Book("A B")
    book.play(1, "A", "1", "B", reason="no_show")
    assert direct_encounter(record_of(book.tournament, is_swiss=True), ["A", "B"]) == [["A", "B"]]
    assert direct_encounter(record_of(book.tournament, is_swiss=False), ["B", "A"]) == [
        ["A"],
        ["B"],
    ]
