"""The notations htttx 1 and 2: what is written is read the same, and anything else is refused."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.guests.hexo.htttx import (
    DEEPEST,
    MOST_CHARACTERS,
    MOST_TURNS,
    Evaluation,
    Move,
    Notation,
    NotWritable,
    Setup,
    Turn,
    Visual,
    write,
)
from bot.guests.hexo.htttx_reading import NotationRefused, read, read_all
from tests.bot.guests.hexo.notations import notations

VERSION_1 = """name[GameName 0]platform[WebsiteXY 0]playercross[BlueWhale 0]
timecontrol[Fischer 60+5]endreason[win]winner[cross]datetime[2026-03-18 23:20:14];
1. [-1,0][0,1];
2. [-1,1][-2,2]!!;
3. [1, -1] [ -5,5 ] ;
"""
STUDY = """version[2];
1. [-1,0] [0,-1] ;
2. [1,0]  [2,0]
  ( 2. [1,-2]  [2,-2]     ;
    3. [-1,-1] [-1,-2]    ;
    4. [-1,1]  [1,-1]
      ( 4. [-1,-3] [/]; ) ; )

  ( 2. [-2,1]  [2,-3]     ;
    3. [-1,-1] [/]        ; ) ;

3. [1,-2] [2,-3]              ;
4. [5,0]  [/]                 ;
"""


@given(notations)
def test_what_is_written_is_read_the_same(notation: Notation) -> None:
    assert read(write(notation)) == notation


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(notations, min_size=1, max_size=3))
def test_games_in_a_row_are_a_collection(games: list[Notation]) -> None:
    assert read_all("\n".join(map(write, games))) == games


@given(st.text("0123456789[],.;!(){}<>:#$%@/-xo versionname\n", max_size=80))
def test_any_text_is_read_or_refused_with_its_place(text: str) -> None:
    try:
        found = read_all(text)
    except NotationRefused as error:
        refusal = error
    else:
        assert [read(write(game)) for game in found] == found
        return
    assert 1 <= refusal.line <= text.count("\n") + 1
    assert refusal.column >= 1


def test_the_example_of_version_1_is_read() -> None:
    game = read(VERSION_1)
    assert game.version == 1
    assert game.tag("utcdatetime", "datetime") == "2026-03-18 23:20:14"
    assert [turn.stones for turn in game.line] == [
        ((-1, 0), (0, 1)),
        ((-1, 1), (-2, 2)),
        ((1, -1), (-5, 5)),
    ]
    assert [turn.threats for turn in game.line] == [0, 2, 0]


def test_a_study_has_nested_variations() -> None:
    game = read(STUDY)
    second = game.line[1]
    assert [turn.number for turn in second.variations[0]] == [2, 3, 4]
    assert second.variations[0][2].variations[0][0].stones == ((-1, -3),)
    assert second.variations[1][1].stones == ((-1, -1),)
    assert game.line[3].second == Move(None)


def test_clocks_evaluations_and_marks_belong_to_their_stone() -> None:
    game = read("version[2];1.[-1,0]{@4505}[0,-1]{ @4500 : #-1 } <0,0:#X:$1> <1,0> <2,0:$A >;")
    assert game.line == (
        Turn(
            1,
            Move((-1, 0), 4505),
            Move(
                (0, -1),
                4500,
                Evaluation("#", -1),
                (Visual((0, 0), "X", "1"), Visual((1, 0)), Visual((2, 0), None, "A")),
            ),
        ),
    )


@pytest.mark.parametrize("mark", ["<1,0:~wave>", "<1,0:#X:#O>", "<1,0:$a>", "<1,0 5>"])
def test_a_mark_of_an_unknown_kind_is_left_out(mark: str) -> None:
    game = read(f"version[2];1.[1,0][2,0]{mark}<3,0>;")
    assert game.line[0].second == Move((2, 0), visuals=(Visual((3, 0)),))


def test_the_side_that_a_setup_names_first_is_to_move() -> None:
    game = read("version[2]; x [1,0] [0,1] : o [0,0] <5,5>;")
    assert game.setup == Setup("x", ((1, 0), (0, 1)), ((0, 0),), (Visual((5, 5)),))
    assert read("version[2];o:x[0,0];1.[1,0][0,1];").setup == Setup("o", ((0, 0),), ())


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("1. [1,0] [0,1]", "line 1, column 15", "; after the turn at the end"),
        ("1. [1,0] [0,1];\n3. [2,0] [3,0];", "line 2, column 1", "turn 2 is expected here, not 3"),
        ("1. [1,0];\n2. [2,0] [3,0];", "line 2, column 1", "turn 1 has one stone"),
        ("1. [1 0] [0,1];", "line 1, column 7", "expected , between q and r, found '0] [0,1];'"),
        (
            "1. [1,x] [0,1];",
            "line 1, column 7",
            "expected the number r of a cell, found 'x] [0,1];'",
        ),
        ("version[3];", "line 1, column 1", "version '3' is not known"),
        ("name[a", "line 1, column 6", "no ] within"),
        ("name[a]name[b];", "line 1, column 8", "the key name is given twice"),
        ("version[2];1.[01,0][1,0];", "line 1, column 15", "which version 2 does not allow"),
        ("version[2];1.[1,0];", "line 1, column 19", "[/]"),
        ("version[2];1.[1,0][/];2.[3,0][4,0];", "line 1, column 23", "one stone"),
        ("version[2];1.[1,0][2,0]{@-1};", "line 1, column 19", "a clock is negative"),
        ("version[2];1.[1,0][2,0]();", "line 1, column 25", "turn 1 of a variation"),
        ("version[2];x[1,0];", "line 1, column 18", "or : before the other side"),
        ("1.[9999999999,0][1,0];", "line 1, column 4", "more than 9 digits"),
        ("?", "line 1, column 1", "expected turn 1, found '?'"),
    ],
)
def test_a_refusal_names_the_place_and_what_is_wrong(text: str, place: str, message: str) -> None:
    with pytest.raises(NotationRefused) as refusal:
        read(text)
    assert str(refusal.value).startswith(f"{place}: ")
    assert message in str(refusal.value)


def test_sizes_are_limited() -> None:
    nested = "version[2];" + "1.[1,0][2,0](" * (DEEPEST + 1)
    turns = "".join(f"{number}.[1,0][2,0];" for number in range(1, MOST_TURNS + 2))
    for text, message in [
        (" " * (MOST_CHARACTERS + 1), "longer than"),
        (nested, f"nested deeper than {DEEPEST}"),
        (turns, f"more than {MOST_TURNS} turns"),
        ("".join(f"k{number}[]" for number in range(65)) + ";", "more than 64 keys"),
        ("version[2];1.[1,0][2,0]" + "<1,0>" * 2001 + ";", "more than 2000 marks"),
    ]:
        with pytest.raises(NotationRefused, match=message):
            read(text)


@pytest.mark.parametrize(
    "notation",
    [
        Notation(1, setup=Setup("o", ((0, 0),), ())),
        Notation(1, line=(Turn(1, Move((1, 0), 500), Move((2, 0))),)),
        Notation(1, line=(Turn(2, Move((1, 0)), Move((2, 0))),)),
        Notation(1, (("name", "a]b"),)),
        Notation(2, line=(Turn(1, Move((1, 0)), None),)),
        Notation(2, line=(Turn(1, Move((1, 0)), Move((2, 0)), 1),)),
        Notation(2, line=(Turn(1, Move((1, 0)), Move((2, 0)), 0, ((),)),)),
    ],
)
def test_what_a_version_cannot_express_is_not_written(notation: Notation) -> None:
    with pytest.raises(NotWritable):
        write(notation)
