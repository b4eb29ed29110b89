"""Boards and stones drawn once for a whole page."""

from xml.etree import ElementTree as ET

import engine
from bot.drawing.shared import board_id, definitions, points, small_svg


def test_a_small_drawing_uses_the_board_and_marks_every_stone() -> None:
    position = engine.play_out(engine.game("blooms", board="hexhex-4"), seed=1)
    drawn = ET.fromstring(small_svg(position, "Blooms <&>"))
    assert drawn.attrib["aria-label"] == "Blooms <&>"
    (board,) = drawn.findall("use")
    assert board.attrib["href"] == f"#{board_id(position)}"
    stones = [each for each in drawn.findall("path") if each.attrib["class"] != "stones-last"]
    drawn_stones = sum(len(each.attrib["d"][1:-2].split(" ")) // 2 for each in stones)
    assert drawn_stones == len(position.stones)


def test_a_board_is_defined_once_for_each_game_on_it() -> None:
    games = [engine.game("bluestone", board="hexhex-4"), engine.game("blooms", board="hexhex-4")]
    root = ET.fromstring(definitions([each.start() for each in (*games, games[0])]))
    boards = [each for each in root.iter("g") if each.get("class") == "board"]
    assert [each.get("id") for each in boards] == [board_id(game.start()) for game in games]
    for game, board in zip(games, boards, strict=True):
        assert len(board.attrib["data-cells"].split(",")) == len(game.board.cells)


def test_no_cells_make_no_path() -> None:
    assert points(engine.game("blooms", board="hexhex-4"), []) == ""
