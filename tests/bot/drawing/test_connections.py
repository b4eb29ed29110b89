"""What is drawn as belonging to a stone."""

import math

from bot.drawing import Annotations
from bot.drawing.connections import connected, liberties, seen
from tests.bot.drawing.pictures import Picture, position, rounded


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
