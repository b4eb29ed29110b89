"""Themes of HeXO: rows of six that a turn completes, threatens or stops."""

import engine
from bot.puzzles.themes import themes_of
from bot.puzzles.themes.hexo import can_stop, threats
from tests.bot.puzzles.samples import SOLUTION, TURNS

GAME = engine.game("hexo")
OPEN_FOUR = ("0:0", "8:0,8:-3", "1:0,2:0", "8:3,8:5", "3:0,-5:3")
"""Black has four in a row with room on both sides; White is to move."""


def test_six_in_a_row_wins_in_one_turn() -> None:
    assert themes_of(GAME.replay(TURNS), SOLUTION) == ("opening", "win-in-1")


def test_a_threat_is_a_row_that_two_stones_complete() -> None:
    position = GAME.replay(OPEN_FOUR)
    assert sorted(map(sorted, threats(position, 1))) == [
        [(-2, 0), (-1, 0)],
        [(-1, 0), (4, 0)],
        [(4, 0), (5, 0)],
    ]
    assert threats(position, 2) == []


def test_an_open_four_takes_two_stones_to_stop() -> None:
    position = GAME.replay(OPEN_FOUR)
    danger = threats(position, 1)
    assert not can_stop(danger, 1)
    assert can_stop(danger, 2)
    assert can_stop([], 2)
    assert themes_of(position, "-1:0,4:0") == ("defence", "opening", "two-stone-defence")


def test_a_turn_that_leaves_a_threat_is_no_defence() -> None:
    assert themes_of(GAME.replay(OPEN_FOUR), "5:0,4:0") == ("opening", "quiet")


def test_one_stone_stops_a_four_that_is_closed_on_one_side() -> None:
    closed = (*OPEN_FOUR[:3], "4:0,8:5", "3:0,-5:3")
    themes = themes_of(GAME.replay(closed), "-1:0,-3:-3")
    assert themes == ("defence", "opening")


def test_three_threats_far_apart_cannot_be_stopped() -> None:
    turns = (
        *("0:0", "0:5,3:5", "1:0,2:0", "6:5,9:5", "0:-5,1:-5", "12:5,9:9", "2:-5,0:3"),
        *("5:9,1:9", "1:3,2:3", "0:-2,6:-2"),
    )
    position = GAME.replay(turns)
    assert themes_of(position, "3:0,3:-5", proved=True) == (
        "forced-win",
        "middlegame",
        "threat",
        "unstoppable",
    )
