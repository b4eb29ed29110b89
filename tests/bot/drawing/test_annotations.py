"""What a drawing shows when it is asked for more than the position."""

import pytest

from bot.drawing import Annotations
from bot.errors import ConfigurationError
from tests.bot.drawing.pictures import Picture, position, rounded

CAPTURE = "1d4 1g2,2g3 1d5,2f2 1g1,2c5 1f1,2c3 1e4,2d3 1b4,2f3"


def test_a_text_stands_in_its_cell_on_a_stone_or_not() -> None:
    now = position("bluestone", "0-0")
    picture = Picture(now, Annotations(texts={"0-0": "A", "3-2": "17"}))
    texts = {text.text: text.get("class") for text in picture.all("text")}
    assert texts == {"A": "text on-1-1", "17": "text on-ground"}
    x = {text.text: text.get("x") for text in picture.all("text")}
    assert x["17"] == f"{rounded(now.game.board.position('3-2'))[0]:g}"


def test_what_is_written_is_escaped() -> None:
    notes = Annotations(texts={"0-0": '<&">'})
    picture = Picture(position("bluestone"), notes, title="</title><script>&")
    assert [text.text for text in picture.all("text")] == ['<&">']
    assert picture.root[0].text == "</title><script>&"
    assert "<script" not in picture.text


@pytest.mark.parametrize("text", ["", "12345", "a\x01", "\ud800"])
def test_a_text_that_is_empty_too_long_or_no_text_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match="0-0: a mark is 1 to 4"):
        Picture(position("bluestone"), Annotations(texts={"0-0": text}))


def test_a_title_that_cannot_be_shown_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="cannot be shown"):
        Picture(position("bluestone"), title="a\x00")


def test_every_cell_that_the_board_lacks_is_named() -> None:
    notes = Annotations(texts={"9-9": "A"}, highlighted=("0-0", "c3"), connected=("d4",))
    with pytest.raises(ConfigurationError) as refused:
        Picture(position("bluestone"), notes)
    assert refused.value.problems == [f"pent-6 has no cell '{c}'" for c in ("9-9", "c3", "d4")]


def test_coordinates_name_every_cell_that_has_no_text() -> None:
    now = position("blooms", "1a1")
    picture = Picture(now, Annotations(texts={"a2": "A"}, coordinates=True))
    assert {name.text for name in picture.all("name")} == {*now.game.board.cells} - {"a2"}
    assert not Picture(now).all("name")


def test_the_last_turn_is_marked_with_what_it_captured() -> None:
    now = position("blooms", CAPTURE, "hexhex-4")
    picture = Picture(now, Annotations(last_turn=True))
    places = {cell: rounded(now.game.board.position(cell)) for cell in now.game.board.cells}
    assert picture.places("last") == {places["b4"], places["f3"]}
    assert {one.get("data-cell") for one in picture.all("captured")} == {"g1", "g2"}
    lettered = Picture(now, Annotations(texts={"f3": "A"}, last_turn=True))
    assert lettered.places("last") == {places["b4"]}
    assert lettered.places("last-ring") == {places["f3"]}
    assert not Picture(now).all("captured")


def test_no_name_is_written_over_a_captured_stone() -> None:
    now = position("blooms", CAPTURE, "hexhex-4")
    names = Picture(now, Annotations(last_turn=True, coordinates=True)).all("name")
    assert {*now.game.board.cells} - {name.text for name in names} == {"g1", "g2"}


@pytest.mark.parametrize("turns", ["", "0-0 pass"])
def test_a_last_turn_without_stones_has_no_marks(turns: str) -> None:
    picture = Picture(position("bluestone", turns), Annotations(last_turn=True))
    assert not picture.all("last")


def test_a_highlighted_cell_has_a_coloured_ground() -> None:
    now = position("blooms")
    picture = Picture(now, Annotations(highlighted=("a1", "c3")))
    assert picture.places("highlight") == {
        rounded(now.game.board.position(cell)) for cell in ("a1", "c3")
    }
