"""What a drawing shows when it is asked for more than the position."""

import math

import pytest

from bot.drawing import Annotations
from bot.drawing.board_layers import connected, liberties, seen
from bot.errors import ConfigurationError
from tests.bot.drawing.pictures import Picture, position, rounded

CAPTURE = "1d4 1g2,2g3 1d5,2f2 1g1,2c5 1f1,2c3 1e4,2d3 1b4,2f3"


def test_a_text_is_drawn_in_its_cell_with_or_without_a_stone() -> None:
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


def test_a_group_is_shown_with_the_blue_stones_that_it_touches() -> None:
    now = position("bluestone", "5-0 2-2,4-3 5-1,0-0")
    assert connected(now, "5-1") == ["5-1", "5-0"]
    picture = Picture(now, Annotations(connected=("5-1",)))
    touched = [one for one in picture.all("touch") if one.get("r")]
    assert len(touched) == now.scores[0][0] == 3
    assert picture.places("liberty") == set()


def test_a_bloom_is_shown_with_its_liberties_and_ends_at_another_colour() -> None:
    now = position("blooms", "1d4 1g2,2g3 1d5,2f2 1g1", "hexhex-4")
    assert sorted(connected(now, "g1")) == ["g1", "g2"]
    assert sorted(liberties(now, ["g1", "g2"])) == ["f1", "f3"]
    picture = Picture(now, Annotations(connected=("g1",)))
    board = now.game.board
    assert picture.places("liberty") == {rounded(board.position(c)) for c in ("f1", "f3")}


def test_a_view_ends_at_the_first_stone_or_star() -> None:
    now = position("stargazers", "h5 l9,i8 f3,m2 g4,e4")
    board = now.game.board
    stars = {rounded(place) for place in board.stars}
    found = {rounded(place): is_star for place, is_star in seen(now, "g4")}
    assert {place for place, is_star in found.items() if is_star} <= stars
    stones = {place for place, is_star in found.items() if not is_star}
    assert stones == {rounded(board.position(cell)) for cell in ("e4", "h5", "f3")}


def test_a_star_that_inspires_is_set_apart_from_one_without_a_gap() -> None:
    now = position("stargazers", "h5")
    picture = Picture(now, Annotations(connected=("h5",)))
    here = now.game.board.position("h5")
    beside = [star for star in now.game.board.stars if math.dist(here, star) < 1.1]
    assert len(beside) == len(picture.all("sight")) == 1
    assert len(picture.all("gaze")) == 3


def test_an_empty_cell_of_other_games_has_no_connections() -> None:
    picture = Picture(position("blooms"), Annotations(connected=("a1",)))
    assert not picture.all("connection")
