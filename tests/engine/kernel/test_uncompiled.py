"""Kernels as plain Python find what compiled ones find, so coverage measures what really runs."""

import os
import subprocess
import sys

import pytest

import engine
from engine.search.searcher import Searcher

GAMES: dict[str, dict[str, str]] = {
    "bluestone": {"board": "pent-3"},
    "blooms": {"board": "hexhex-4"},
    "stargazers": {"board": "stars-39", "rules": "ludii"},
}
PLAYOUTS = 25


def found_in(name: str) -> str:
    """A random game, and a search near its end that goes on after the turn that it finds."""
    end = engine.play_out(engine.game(name, **GAMES[name]), seed=3)
    searcher = Searcher(end.game, megabytes=1, threads=1, seed=4)
    position, found = end.game.replay(end.turns[: -len(end.turns) // 3]), []
    for _ in range(2):
        kept = searcher.move_to(position)
        searcher.grow(PLAYOUTS)
        found.append((kept, searcher.candidates(5)))
        position = position.play(searcher.candidates(1)[0].turn)
    assert found[1][0], "the tree was copied"
    return repr((end.turns, end.scores, found))


@pytest.mark.parametrize("name", GAMES)
def test_uncompiled_kernels_find_the_same(name: str) -> None:
    question = f"from {__name__} import found_in; print(found_in({name!r}))"
    command = [sys.executable, "-W", "error", "-c", question]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.rstrip("\n") == found_in(name)
