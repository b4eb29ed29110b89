"""Every recorded game of Bluestone, reproduced in every field (rule set `abstractplay`)."""

from itertools import chain
from typing import Any

import pytest

import engine
from tests.engine.games import platform_games
from tests.engine.games.platform_games import board_size, check_end, check_what_may_follow
from tests.matrix import nightly_after

PARTS = 8


def recorded(file: str) -> list[dict[str, Any]]:
    return platform_games.recorded(file, "bluestone")


def replay(game: dict[str, Any]) -> engine.Position:
    board = f"pent-{board_size(game)}"
    start = engine.game("bluestone", board=board, rules="abstractplay").start()
    return platform_games.replay(start, game, facts)


def packed(scores: tuple[int, ...]) -> float:
    """The platform's display number: 10, 5, 4 becomes 10.0504; five groups at most."""
    return float(f"{scores[0]}." + "".join(f"{score:02}" for score in scores[1:5]))


def facts(_: engine.Position, position: engine.Position, ply: dict[str, Any]) -> dict[str, Any]:
    """What a recorded ply says about the position after it."""
    groups = {"capture_groups": capture_groups(position)} if "capture_groups" in ply else {}
    return groups | {
        "captured": list(position.captured),
        "p1": [cell for cell, stone in position.stones.items() if stone.player == 1],
        "p2": [cell for cell, stone in position.stones.items() if stone.player == 2],
        "group_scores": [list(scores) for scores in position.scores],
        "scores": [packed(scores) for scores in position.scores],
    }


def capture_groups(position: engine.Position) -> list[list[str]]:
    """The captured cells, cut into connected groups."""
    near = position.game.board.neighbours
    groups: list[list[str]] = []
    for cell in position.captured:
        touching = [group for group in groups if set(near(cell)) & set(group)]
        groups = [group for group in groups if group not in touching]
        groups.append([*chain.from_iterable(touching), cell])
    return groups


@pytest.mark.parametrize("file", ["bluestone-6", "bluestone-8"])
@pytest.mark.parametrize("part", nightly_after(1, range(PARTS)))
def test_recorded_games(file: str, part: int) -> None:
    games = recorded(file)[part::PARTS]
    assert games
    for game in games:
        check_end(game, replay(game))


SPECIAL = {game["id"]: game for game in recorded("special")}


@pytest.mark.parametrize("name", SPECIAL)
def test_special_positions(name: str) -> None:
    game = SPECIAL[name]
    last = replay(game)
    check_end(game, last)
    check_what_may_follow(game, last)


def test_all_of_them_are_here() -> None:
    assert len(recorded("bluestone-6")) == 150
    assert len(recorded("bluestone-8")) == 40
    assert len(SPECIAL) == 31
    assert all(name.startswith("bs-") for name in SPECIAL)
