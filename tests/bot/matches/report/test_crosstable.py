"""The crosstable."""

from bot.matches.report.crosstable import CrosstableCell, CrosstableGame, crosstable
from tests.bot.tournaments.event_making import Book


def test_a_cell_has_the_points_of_the_rows_player() -> None:
    book = Book("a b c")
    book.play(1, "a", "1=", "b")
    table = crosstable(book.tournament, ["b", "a", "c"])
    assert table.names == ("b", "a", "c")
    assert table.rows[0] == (
        None,
        CrosstableCell((CrosstableGame(1, 2, 0.0), CrosstableGame(2, 1, 0.5))),
        CrosstableCell(),
    )
    assert [cell and cell.points for cell in table.rows[1]] == [1.5, None, 0]
