"""BKE texts are read as turns, in any of the twelve orientations."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.guests.hexo.bke import DIRECTIONS, MOST_CHARACTERS, read_bke, ring_of
from bot.guests.hexo.htttx import Cell
from bot.guests.hexo.htttx_reading import NotationRefused


def turns(text: str, zero: int = 0, *, clockwise: bool = False) -> list[tuple[Cell, ...]]:
    return [turn.stones for turn in read_bke(text, zero, clockwise=clockwise).line]


def distance(one: Cell, other: Cell) -> int:
    q, r = one[0] - other[0], one[1] - other[1]
    return (abs(q) + abs(r) + abs(q + r)) // 2


def test_the_longsword_is_a_line_of_x_between_two_stones_of_o() -> None:
    assert turns("A0 A2 x A1 A4 o B2 D16") == [
        ((1, 0), (-1, 1)),
        ((0, 1), (0, -1)),
        ((0, 2), (0, -4)),
    ]


def test_names_of_sides_may_be_left_out_and_the_last_turn_may_have_one_stone() -> None:
    assert turns("o A0 A2 x A1 A4") == turns("A0 A2 A1 A4")
    assert turns("A0 A2 x A1")[1] == ((0, 1),)
    assert turns("") == []


@pytest.mark.parametrize(
    ("header", "first"),
    [
        ("p CCW", ((-1, 1), (0, 1))),
        ("> CW", ((1, 0), (0, 1))),
        ("d", ((1, -1), (1, 0))),
        ("CCW", ((1, -1), (0, -1))),
        ("x, b @(0, 0)", ((0, -1), (1, -1))),
        ("@ (0,0): ", ((1, 0), (0, 1))),
    ],
)
def test_a_text_may_choose_its_zero_line_and_direction(
    header: str, first: tuple[Cell, ...]
) -> None:
    for zero in range(6) if header.strip("@ (0,):x") else [0]:
        assert turns(f"{header} o A0 A1 x A2", zero)[0] == first


def test_a_sector_is_short_for_its_offsets() -> None:
    assert turns("B2.1 C5.2") == turns("B5 C17")


@given(st.integers(1, 60), st.data())
def test_a_ring_has_each_cell_at_its_distance_once(ring: int, data: st.DataObject) -> None:
    zero, clockwise = data.draw(st.integers(0, 5)), data.draw(st.booleans())
    letters = chr(ord("A") + ring - 1) if ring <= 26 else "A" + chr(ord("A") + ring - 27)
    letters = letters if ring <= 52 else "B" + chr(ord("A") + ring - 53)
    assert ring_of(letters) == ring
    words = [f"{letters}{offset}" for offset in range(6 * ring)]
    stones = [cell for turn in turns(" ".join(words), zero, clockwise=clockwise) for cell in turn]
    assert len(set(stones)) == 6 * ring
    assert all(distance(cell, (0, 0)) == ring for cell in stones)
    assert all(distance(*pair) == 1 for pair in pairwise(stones))
    q, r = DIRECTIONS[zero]
    assert stones[0] == (q * ring, r * ring)


def test_the_twelve_readings_differ() -> None:
    found = {
        tuple(turns("A0 B1", zero, clockwise=way)) for zero in range(6) for way in (False, True)
    }
    assert len(found) == 12


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x A0 A1", "line 1, column 1: turn 1 belongs to o"),
        ("A0\n x A1 A2", "line 2, column 2: turn 1 has one stone, not two"),
        ("A0 A2 x", "line 1, column 8: a side is named, and no stone follows"),
        ("A0 A2 x o A1", "line 1, column 9: turn 2 belongs to x"),
        ("A6", "line 1, column 1: ring A has offsets from 0 to 5"),
        ("B2.2", "offsets to 1"),
        ("B6.0", "sectors go from 0 to 5"),
        ("ZZZ0", "farther than 1000"),
        ("a0", "expected a cell such as A0 or B2.1, or x or o, found 'a0'"),
        ("A" * (MOST_CHARACTERS + 1), "longer than"),
    ],
)
def test_a_refusal_names_the_place_and_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(NotationRefused) as refusal:
        read_bke(text)
    assert message in str(refusal.value)
