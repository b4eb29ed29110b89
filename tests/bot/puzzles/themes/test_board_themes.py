"""Themes of the games on a board, in positions where each can be checked by hand."""

from itertools import pairwise

import pytest

import engine
from bot.puzzles.themes import themes_of
from bot.puzzles.themes.bluestone import capturable
from bot.puzzles.themes.groups import empty_around, groups_of
from tests.bot.puzzles.samples import ENDGAME, ENDGAME_SOLUTION

PENT = engine.game("bluestone", "pent-4")
BLOOMS = engine.game("blooms", "hexhex-4")
STARS = engine.game("stargazers")
FREEGO = engine.game("freego", "square-7")

CORNER = ("1d4", "1a1,2g4", "1a2,2b1")
"""White's stone in the corner a1 has one liberty left, b2; White is to move."""


def test_groups_are_connected_stones_of_one_kind() -> None:
    position = BLOOMS.replay(["1a1", "1d4,2d5", "1a2,2b1"])
    assert sorted(map(sorted, groups_of(position, 1))) == [["a1", "a2"], ["b1"]]


def test_a_bloom_whose_last_liberty_is_filled_is_captured() -> None:
    position = BLOOMS.replay([*CORNER, "1e5,2e6"])
    themes = themes_of(position, "1b2,2d6")
    assert position.play("1b2,2d6").captured == ("a1",)
    assert "capture" in themes
    assert "multi-capture" not in themes


def test_a_bloom_with_more_liberties_afterwards_is_saved() -> None:
    position = BLOOMS.replay(CORNER)
    assert "save" in themes_of(position, "1b2,2e6")
    assert "save" not in themes_of(position, "2b2,1e6")


def test_a_bloom_that_can_be_captured_next_is_threatened() -> None:
    position = BLOOMS.replay(CORNER[:2])
    assert [len(empty_around(position, each)) for each in groups_of(position, 2)] == [3, 3]
    assert set(themes_of(position, "1a2,2d6")) == {"threat", "opening"}
    assert set(themes_of(position, "1a2,2g3")) == {"threat", "double-threat", "opening"}


def test_a_chain_of_free_go_is_weak_with_one_liberty() -> None:
    position = FREEGO.replay(["a2", "a1", "c2", "g7"])
    assert "capture" in themes_of(position, "b1")
    in_middle = FREEGO.replay(["d5", "d4", "c4", "g7"])
    assert "threat" in themes_of(in_middle, "e4")
    assert "threat" not in themes_of(FREEGO.replay(["d5", "d4"]), "c4")
    saved = FREEGO.replay(["a2", "a1", "c2"])
    assert "save" in themes_of(saved, "b1")
    assert "save" not in themes_of(saved, "g7")


def test_bluestone_connects_its_groups() -> None:
    position = PENT.replay(["1-0", "0-0,3-8", "1-2,3-12", "3-6,3-0"])
    themes = themes_of(position, "1-1,3-3")
    assert "connect" in themes
    assert "cut" not in themes


def test_a_rescue_saves_stones_that_one_enemy_stone_could_capture() -> None:
    position = PENT.replay(ENDGAME)
    themes = themes_of(position, ENDGAME_SOLUTION, proved=True)
    assert {"rescue", "forced-win", "endgame"} <= set(themes)
    waiting, after = position.play("pass"), position.play(ENDGAME_SOLUTION)
    assert capturable(waiting) - capturable(after)
    assert any(waiting.play(turn).captured for turn in waiting.legal_turns())


@pytest.mark.parametrize("seed", range(3))
def test_a_block_takes_the_inspiration_of_enemy_stones(seed: int) -> None:
    last = engine.play_out(STARS, seed=seed)
    positions = [STARS.replay(last.turns[:count]) for count in range(1, len(last.turns) + 1)]
    for before, after in pairwise(positions):
        solver, themes = before.to_play, themes_of(before, after.turns[-1])
        lost = {cell for cell in after.marks if cell in before.stones and cell not in before.marks}
        enemies = {cell for cell in lost if before.stones[cell].player != solver}
        found = set(before.marks) - set(after.marks)
        assert ("block" in themes) == bool(enemies)
        assert ("multi-block" in themes) == (len(enemies) >= 3)
        assert ("sacrifice" in themes) == bool(lost - enemies)
        assert ("inspire" in themes) == any(before.stones[cell].player == solver for cell in found)
        assert ("win-in-1" in themes) == (after.winner == solver)


def test_the_phase_depends_on_how_full_the_board_is() -> None:
    last = engine.play_out(PENT, seed=1)
    phases = [
        next(
            theme
            for theme in themes_of(PENT.replay(last.turns[:count]), last.turns[count])
            if theme in {"opening", "middlegame", "endgame"}
        )
        for count in range(1, 14)
    ]
    assert phases == sorted(phases, key=("opening", "middlegame", "endgame").index)
    assert set(phases) == {"opening", "middlegame", "endgame"}
