"""What a drawing shows of a position by itself."""

import pytest

import engine
from bot.drawing import board_svg
from tests.bot.drawing.pictures import SVG, Picture, centre, position, rounded

BOARDS = [(info.name, board) for info in engine.games() for board in info.boards]


@pytest.mark.parametrize("name", ["bluestone", "blooms", "stargazers"])
def test_every_stone_is_drawn_as_its_players_and_its_kind_at_its_place(name: str) -> None:
    end = engine.play_out(engine.game(name), seed=4)
    picture = Picture(end)
    assert picture.cells() == set(end.stones)
    for player in (1, 2):
        for kind in (1, 2):
            meant = {cell for cell, one in end.stones.items() if one == engine.Stone(player, kind)}
            assert picture.cells(f"player-{player}", f"kind-{kind}") == meant
    for stone in picture.all("stone"):
        place = end.game.board.position(stone.get("data-cell", ""))
        body = next(one for one in stone if one.get("class") == "body")
        assert centre(body) == rounded(place)


def test_a_second_kind_differs_by_more_than_its_colour() -> None:
    picture = Picture(position("blooms", "2a1 1b1,2c1"))
    with_ring = {
        stone.get("data-cell")
        for stone in picture.all("stone")
        if any(part.get("class") == "kind-ring" for part in stone)
    }
    assert with_ring == {"a1", "c1"}
    for colour in ("#b3263e", "#e5b53b"):
        assert colour in picture.text


@pytest.mark.parametrize(("name", "board"), BOARDS)
def test_everything_lies_within_the_picture(name: str, board: str) -> None:
    shape = engine.game(name, board=board).board
    picture = Picture(position(name, board=board))
    x, y, width, height = map(float, picture.root.get("viewBox", "").split())
    points = [*shape.positions, *(one.position for one in shape.blue_stones), *shape.stars]
    assert all(x + 0.5 < a < x + width - 0.5 for a, _ in points)
    assert all(y + 0.5 < b < y + height - 0.5 for _, b in points)
    assert picture.places("blue") == {rounded(one.position) for one in shape.blue_stones}
    assert len(picture.all("star")) == len(shape.stars)


def test_stars_are_where_the_board_has_them() -> None:
    start = position("stargazers")
    tops = set()
    for star in Picture(start).all("star"):
        x, y = star.get("d", "").removeprefix("M").split("L")[0].split()
        tops.add((float(x), float(y)))
    assert tops == {rounded((x, y - 0.36)) for x, y in start.game.board.stars}


def test_an_uninspired_stone_is_dimmed_and_struck_through() -> None:
    blocked = position("stargazers", "h5 l9,i8 f3,m2 g4,e4 i4,j5")
    picture = Picture(blocked)
    assert set(blocked.marks) == {"g4", "e4"}
    assert picture.cells("uninspired") == {"g4", "e4"}
    assert len(picture.all("slash")) == 2


def test_a_picture_is_the_same_every_time_and_names_itself() -> None:
    first, again = (board_svg(position("bluestone", "0-0 1-1,3-2")) for _ in range(2))
    assert first == again
    assert "-0 " not in first
    picture = Picture(position("bluestone", "0-0 1-1,3-2"))
    assert picture.root.get("role") == "img"
    assert picture.root[0].tag == f"{SVG}title"
    assert picture.root[0].text == "Bluestone on pent-6, after 2 turns"
    assert Picture(position("blooms")).root[0].text == "Blooms on hexhex-5, before the first turn"
