"""Every recorded game of Blooms, reproduced in every field."""

from itertools import chain
from typing import Any

import pytest

import engine
from tests.engine.games import platform_games
from tests.engine.games.platform_games import board_size, check_end, check_what_may_follow
from tests.matrix import nightly_after

PARTS = 4
"""Into so many tests the games of a board are divided: listing all turns of each ply takes time."""


def recorded(file: str) -> list[dict[str, Any]]:
    return platform_games.recorded(file, "blooms")


def replay(game: dict[str, Any]) -> engine.Position:
    board = f"hexhex-{board_size(game)}"
    start = engine.game("blooms", board=board, rules="abstractplay").start()
    return platform_games.replay(start, game, facts)


def captured_blooms(before: engine.Position, position: engine.Position) -> list[list[str]]:
    """The captured cells by bloom."""
    blooms: list[list[str]] = []
    for cell in position.captured:
        near = {cell, *position.game.board.neighbours(cell)}
        kind = before.stones[cell].kind
        joined = [
            bloom for bloom in blooms if before.stones[bloom[0]].kind == kind and near & {*bloom}
        ]
        blooms = [bloom for bloom in blooms if bloom not in joined]
        blooms.append([*chain.from_iterable(joined), cell])
    return blooms


def facts(
    before: engine.Position, position: engine.Position, ply: dict[str, Any]
) -> dict[str, Any]:
    """What a recorded ply says about the position after it."""
    stones: dict[str, Any] = {}
    if "capture_groups" in ply:
        stones["capture_groups"] = captured_blooms(before, position)
    for player in (1, 2):
        own = {cell: stone for cell, stone in position.stones.items() if stone.player == player}
        stones[f"p{player}"] = list(own)
        stones[f"t{player}"] = "".join(str(stone.kind) for stone in own.values())
    return stones | {"captured": list(position.captured), "scores": list(position.scores)}


@pytest.mark.parametrize("part", nightly_after(1, range(PARTS)))
@pytest.mark.parametrize("size", nightly_after(3, [4, 5, 6, 8]))
def test_recorded_games(size: int, part: int) -> None:
    for game in recorded(f"blooms-{size}")[part::PARTS]:
        check_end(game, replay(game))


SPECIAL = {game["id"]: game for game in recorded("special")}


@pytest.mark.uncompiled
@pytest.mark.parametrize("name", SPECIAL)
def test_special_positions(name: str) -> None:
    game = SPECIAL[name]
    last = replay(game)
    check_end(game, last)
    check_what_may_follow(game, last)


def test_all_of_them_are_here() -> None:
    assert [len(recorded(f"blooms-{size}")) for size in (4, 5, 6, 8)] == [40] * 4
    assert len(SPECIAL) == 9
    assert all(name.startswith("bl-") for name in SPECIAL)
