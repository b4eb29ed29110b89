"""The drawn board: golden pictures of small ones, and no name lost on any."""

import pytest

import engine
from bot.terminal.board import ASCII, UNICODE, draw_board, last_cells, legend, symbols_for

PENT_3 = """\
       ◆       ◆
   ◆     ●2-0      ◆
      2-9     2-1
          1-0
  2-8○1-4     1-1◉2-2
◆        ○0-0        ◆
  ◉2-7          2-3
      ●1-3  1-2
  ◆ ×2-6 ●2-5 ○2-4  ◆

        ◆    ◆"""

HEXHEX_3 = """\
    *   *   *

  *  e1  e2  e3   *

*  d1 Xd2  d3  d4   *

 c1  c2 #c3  c4 Oc5   *

*  b1  b2  b3 #b4   *

  * Oa1  a2  a3   *

    *   *   *"""

LIMPING_3 = """\
        ◆   ◆   ◆

  ◆  f1  f2  f3  f4   ◆

◆  e1  e2  e3  e4  e5   ◆

 d1  d2  d3 ◉d4  d5  d6

◆  c1  c2  c3  c4  c5   ◆

  ◆  b1  b2  b3  b4   ◆

    ◆  a1  a2  a3   ◆

          ◆   ◆"""


BLOOMS_4 = """\
       g1  g2  g3  g4

     f1  f2  f3  f4  f5

   e1  e2  e3 □e4  e5  e6

 d1  d2  d3 ●d4  d5  d6  d7

   c1  c2 ○c3  c4  c5  c6

     b1 ▣b2  b3  b4  b5

      ◉a1  a2  a3  a4"""
BLOOMS = engine.game("blooms", board="hexhex-4").start().play("1d4").play("1c3,2e4")
BLOOMS = BLOOMS.play("1a1,2b2")
STARGAZERS = engine.play_out(engine.game("stargazers"), seed=3)


def after(board: str, *turns: str) -> engine.Position:
    position = engine.game("bluestone", board=board).start()
    for turn in turns:
        position = position.play(turn)
    return position


def drawn(position: engine.Position, ascii_only: bool = False) -> str:
    return draw_board(position, ASCII if ascii_only else UNICODE).plain


def test_an_empty_limping_board_with_one_fresh_stone() -> None:
    assert drawn(after("limping-3", "d4")) == LIMPING_3


def test_stones_fresh_stones_and_captures_have_marks_of_their_own() -> None:
    position = after("pent-3", "1-3", "2-6,1-4", "2-5,2-0", "2-4,0-0", "2-7,2-2")
    assert position.captured == ("2-6",)
    assert drawn(position) == PENT_3


def test_ascii_serves_where_the_terminal_has_no_unicode() -> None:
    picture = drawn(after("hexhex-3", "d2", "c5,a1", "c3,b4"), ascii_only=True)
    assert picture == HEXHEX_3
    assert picture.isascii()


@pytest.mark.parametrize("kind", ["pent", "limping", "hexhex"])
@pytest.mark.parametrize("size", [3, 4, 5, 6, 7, 8, 11])
def test_every_cell_and_blue_stone_can_be_found_on_every_board(kind: str, size: int) -> None:
    position = engine.game("bluestone", board=f"{kind}-{size}").start()
    board = position.game.board
    words = drawn(position).split()
    assert sorted(word for word in words if word != "◆") == sorted(board.cells)
    assert words.count("◆") == len(board.blue_stones)


def test_the_standard_boards_fit_into_eighty_columns() -> None:
    for board in ("pent-6", "pent-8", "hexhex-7", "limping-7"):
        picture = drawn(engine.game("bluestone", board=board).start())
        assert max(map(len, picture.splitlines())) <= 80


def test_every_cell_of_a_full_board_still_shows_its_name() -> None:
    position = engine.play_out(engine.game("bluestone", board="pent-4"), seed=5)
    picture = drawn(position)
    for cell, stone in position.stones.items():
        marks = (UNICODE.stones[0][stone.player - 1], UNICODE.last[0][stone.player - 1])
        assert any(f"{mark}{cell}" in picture for mark in marks)


def test_the_last_turn_is_known_also_after_a_pass() -> None:
    assert last_cells(after("pent-3")) == frozenset()
    assert last_cells(after("pent-3", "0-0", "2-0,2-5")) == {"2-0", "2-5"}
    assert last_cells(after("pent-3", "0-0", "pass")) == frozenset()


def test_the_legend_names_every_mark() -> None:
    capture = after("pent-3", "1-3", "2-6,1-4", "2-5,2-0", "2-4,0-0", "2-7,2-2")
    text = legend(capture).plain
    marks = (*UNICODE.stones[0], *UNICODE.last[0], UNICODE.captured, UNICODE.blue)
    assert all(mark in text for mark in marks)
    assert UNICODE.star not in text
    assert all(mark in legend(BLOOMS).plain for mark in "".join(UNICODE.stones + UNICODE.last))
    dark = legend(STARGAZERS).plain
    assert all(mark in dark for mark in (*UNICODE.marked, UNICODE.star))
    assert "uninspired" in dark


def test_both_colours_of_a_player_have_marks_of_their_own() -> None:
    assert drawn(BLOOMS) == BLOOMS_4
    assert drawn(BLOOMS, ascii_only=True).isascii()


@pytest.mark.parametrize("size", [5, 6, 9, 13, 19])
def test_rows_of_square_boards_are_evenly_spaced(size: int) -> None:
    lines = drawn(engine.game("freego", board=f"square-{size}").start()).split("\n")
    assert len(lines) == 2 * size - 1
    assert [bool(line.strip()) for line in lines] == [row % 2 == 0 for row in range(len(lines))]


def test_stars_and_uninspired_stones_are_shown() -> None:
    dark = set(STARGAZERS.marks)
    assert dark
    picture = drawn(STARGAZERS)
    assert picture.count(UNICODE.star) == 12
    for cell, stone in STARGAZERS.stones.items():
        assert (f"{UNICODE.marked[stone.player - 1]}{cell}" in picture) == (cell in dark)


@pytest.mark.parametrize("game", engine.games())
def test_every_cell_can_be_found_on_the_usual_boards_of_every_game(game: engine.GameInfo) -> None:
    for name in game.boards:
        position = engine.game(game.name, board=name).start()
        words = drawn(position).split()
        drawings = {UNICODE.blue, UNICODE.star}
        assert sorted(set(words) - drawings) == sorted(position.shown_board.cells)


@pytest.mark.parametrize(
    ("encoding", "symbols"),
    [("utf-8", UNICODE), ("ascii", ASCII), ("latin-1", ASCII), ("?", ASCII)],
)
def test_symbols_follow_the_encoding(encoding: str, symbols: object) -> None:
    assert symbols_for(encoding) is symbols
