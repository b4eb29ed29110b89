"""Boards on paper: in their true size, within the margins, as large as the paper allows."""

import math
import random
import re
from itertools import pairwise

import pytest

import engine
from bot.drawing import Annotations
from bot.drawing.paper import MARGIN_MM, PAPERS, Paper, paper_named
from bot.drawing.pdf import as_pdf, text_width
from bot.drawing.sheet import as_svg, board_sheet, printed_board
from bot.drawing.track import goal_of
from bot.errors import ConfigurationError
from tests.bot.drawing.pictures import position
from tests.bot.drawing.sheets import matrix, nearest_mm, points_mm, size_mm, texts

BOARDS = [(info.name, board) for info in engine.games() for board in engine.boards_of(info)]
SIZES = {"A4": (210, 297), "A3": (297, 420), "Letter": (215.9, 279.4)}
A4 = paper_named("A4")
NAMED = Annotations(coordinates=True)


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
@pytest.mark.parametrize(("game", "board"), BOARDS)
def test_a_sheet_has_the_size_of_its_paper_and_all_is_within_the_margins(
    game: str, board: str, paper: Paper
) -> None:
    start = position(game, board=board)
    sheet = board_sheet(start, paper, Annotations(track=goal_of(start.game) is not None))
    width, height = (float((sheet.get(side) or "").removesuffix("mm")) for side in _SIDES)
    assert sorted((width, height)) == list(SIZES[paper.name])
    assert sheet.get("viewBox") == f"0 0 {width:g} {height:g}"
    assert size_mm(as_pdf(sheet)) == pytest.approx((width, height), abs=0.001)
    for (x, y), radius in points_mm(sheet):
        assert MARGIN_MM - 0.1 < x - radius <= x + radius < width - MARGIN_MM + 0.1
        assert MARGIN_MM - 0.1 < y - radius <= y + radius < height - MARGIN_MM + 0.1


_SIDES = ("width", "height")


@pytest.mark.parametrize(("game", "board"), BOARDS)
def test_the_pieces_that_a_sheet_names_fit_between_their_neighbours(game: str, board: str) -> None:
    start = position(game, board=board)
    sheet = board_sheet(start, A4)
    scale, _ = matrix(sheet)
    gap = nearest_mm(list(printed_board(start, A4).positions), scale)
    found = re.search(r"Pieces: up to ([\d.]+) mm$", _caption(as_pdf(sheet)))
    assert found is not None
    assert float(found[1]) <= gap + 0.001 < float(found[1]) + 0.501


@pytest.mark.parametrize(("game", "board"), BOARDS)
def test_pieces_on_all_cells_touch_the_margin_on_two_sides(game: str, board: str) -> None:
    """So the board is as large as the paper allows, on the better side of it."""
    start = position(game, board=board)
    sheet = board_sheet(start, A4)
    scale, (x, y) = matrix(sheet)
    shape = printed_board(start, A4)
    reach = nearest_mm(list(shape.positions), scale) / 2
    left = min(x + a * scale for a, _ in shape.positions) - reach
    top = min(y + b * scale for _, b in shape.positions) - reach
    left = min([left, *(place[0] - radius for place, radius in points_mm(sheet))])
    top = min([top, *(place[1] - radius for place, radius in points_mm(sheet))])
    assert min(left, top) == pytest.approx(MARGIN_MM, abs=0.6)  # a star has no ends to the left


@pytest.mark.parametrize(
    ("game", "board"), [(info.name, info.boards[0]) for info in engine.games()]
)
def test_coordinates_are_printed_on_request(game: str, board: str) -> None:
    start = position(game, board=board)
    shape = printed_board(start, A4)
    names = {label.text for label in shape.labels} or set(shape.cells)
    plain, named = (
        texts(as_pdf(board_sheet(start, A4, notes))) for notes in (Annotations(), NAMED)
    )
    assert not plain & names
    assert names < named


def test_the_caption_names_game_board_and_turns() -> None:
    assert _caption(as_pdf(board_sheet(position("bluestone"), A4))) == (
        "Bluestone on pent-6. Pieces: up to 17 mm"
    )
    played = position("bluestone", "0-0 1-1,3-2")
    assert "Bluestone on pent-6, after 2 turns." in _caption(as_pdf(board_sheet(played, A4)))
    assert "HeXO on 331 cells." in _caption(as_pdf(board_sheet(position("hexo"), A4)))


def _caption(pdf: bytes) -> str:
    return next(text for text in texts(pdf) if "Pieces" in text)


@pytest.mark.parametrize("game", [info.name for info in engine.games()])
def test_every_stone_of_a_game_is_printed(game: str) -> None:
    chance, played = random.Random(4), engine.game(game).start()
    while not played.over and len(played.turns) < 30:
        played = played.play(played.likely_turn(chance))
    sheet = board_sheet(played, A4, Annotations(last_turn=True, coordinates=True))
    drawn = {one.get("data-cell") for one in sheet.iter() if "player-" in one.get("class", "")}
    assert drawn == set(played.stones)
    assert as_pdf(sheet).count(b" c\n") >= 4 * len(played.stones)


def test_annotations_are_printed() -> None:
    drawn = position("blooms", "1d4 1d3,2e5", "hexhex-4")
    notes = Annotations({"d4": "A", "a1": "Ä"}, ("b1",), ("d4",), last_turn=True)
    sheet = board_sheet(drawn, A4, notes)
    classes = {one.get("class") for one in sheet.iter()}
    assert {"highlight", "connection", "liberty", "last", "text on-1-1"} <= classes
    assert b"(A) Tj" in as_pdf(sheet)
    assert "(\u00c4) Tj".encode("cp1252") in as_pdf(sheet)
    with pytest.raises(ConfigurationError, match="no cell 'z9'"):
        board_sheet(drawn, A4, Annotations({"z9": "A"}))


def test_a_board_without_an_edge_is_a_hexagon_for_pieces_of_10_mm() -> None:
    scales = [matrix(board_sheet(position("hexo"), paper))[0] for paper in PAPERS]
    assert all(10 <= scale < 11.2 for scale in scales)
    assert len(printed_board(position("hexo"), A4).cells) == 331
    assert len(printed_board(position("hexo"), paper_named("A3")).cells) > 600


def test_the_hexagon_has_all_stones_as_long_as_paper_can_show_them() -> None:
    # The second turn is at the far end of what the rules allow.
    far = position("hexo", "0:0 8:0,16:0 24:0,30:0")
    board = printed_board(far, A4)
    assert set(far.stones) <= set(board.cells)
    assert matrix(board_sheet(far, A4))[0] < 10
    turns = ["0:0", *(f"{8 * at}:0,{8 * at + 8}:0" for at in range(1, 12, 2))]
    with pytest.raises(ConfigurationError, match="too far apart"):
        board_sheet(position("hexo", " ".join(turns)), A4)


def test_a_track_has_markers_in_a_game_that_has_begun() -> None:
    notes = Annotations(track=True)
    empty = as_pdf(board_sheet(position("blooms"), A4, notes))
    assert {"0", "5", "10", "15", "20", "25"} <= texts(empty)
    sheets = [board_sheet(position("blooms", turns), A4, notes) for turns in ("", "1d4")]
    markers = [sum("marker" in each.get("class", "") for each in sheet.iter()) for sheet in sheets]
    assert markers == [0, 2]
    assert matrix(sheets[0])[0] < matrix(board_sheet(position("blooms"), A4))[0]
    with pytest.raises(ConfigurationError, match="has no track"):
        board_sheet(position("bluestone"), A4, notes)


def test_a_handicap_is_on_the_track_and_in_the_caption() -> None:
    start = engine.game("blooms", handicap_2=3).start()
    sheet = board_sheet(start, A4, Annotations(track=True))
    marked = [each.get("data-captured") for each in sheet.iter() if each.get("data-captured")]
    assert marked == ["0", "3"]
    assert _caption(as_pdf(sheet)).startswith(
        "Blooms on hexhex-5. Points ahead for White: 3. Pieces: up to "
    )
    both = engine.game("blooms", "hexhex-10", handicap_1=11, handicap_2=12).replay(["1a1"])
    (caption,) = (each for each in board_sheet(both, A4).iter("text"))
    assert text_width(caption.text or "") * float(caption.get("font-size") or "") <= 277


@pytest.mark.parametrize("board", ["square-5", "square-9", "square-19"])
def test_without_coordinates_the_track_lies_at_the_stones(board: str) -> None:
    start = position("freego", board=board)
    plain, named = (
        board_sheet(start, A4, Annotations(track=True, coordinates=shown))
        for shown in (False, True)
    )
    assert matrix(plain)[0] > 1.05 * matrix(named)[0]
    fields = [
        (float(each.get("cx") or ""), float(each.get("cy") or ""))
        for each in plain.iter("circle")
        if "field" in each.get("class", "").split()
    ]
    places = start.shown_board.positions
    nearest = [min(math.dist(field, place) for place in places) for field in fields]
    assert max(nearest) < 1.5
    apart = [math.dist(a, b) for a, b in pairwise([*fields, fields[0]])]
    assert max(apart) < 1.2 * min(apart)  # around a corner the way is longer than the distance


def test_a_sheet_is_the_same_every_time() -> None:
    one, two = (board_sheet(position("bluestone"), A4, NAMED) for _ in range(2))
    assert as_svg(one) == as_svg(two)
    assert as_pdf(one) == as_pdf(two)
    assert b"Date" not in as_pdf(one)


def test_paper_is_found_by_its_name() -> None:
    assert paper_named("letter").name == "Letter"
    with pytest.raises(ConfigurationError, match="paper 'B5' is not known; known: A4, A3, Letter"):
        paper_named("B5")
