"""WebAssembly, the library of the wheel and compiled kernels are one engine, to the last bit."""

import json
from pathlib import Path
from typing import Any

import pytest

import engine
from engine.kernel.library import COMPILE
from tests.ahead import PATIENCE_S, built
from tests.matrix import nightly_after
from tests.page.engine.native import UNRECORDED
from tests.page.engine.program import printed_by
from tests.page.scripts import answers

NAMES = [game.name for game in engine.games()]
RECORDED = [name for name in NAMES if name not in UNRECORDED]

pytestmark = [pytest.mark.xdist_group("engine as WebAssembly"), pytest.mark.timeout(PATIENCE_S)]


def native(subject: str, game: str, kernels: str) -> dict[str, Any]:
    """What `native.py` prints; `kernels` is a folder, or `compile`."""
    said = printed_by("native", subject, game, kernels=kernels)
    assert said.pop("mode") == ("compiled" if kernels == COMPILE else "library")
    return said


def in_wasm(subject: str, game: str, said: dict[str, Any], tmp_path: Path) -> list[Any]:
    file = tmp_path / "cases.json"
    file.write_text(json.dumps(said), encoding="utf-8")
    [found] = answers("engine/kernels.js", [(subject, str(built(game)), game, str(file))])
    results: list[Any] = found
    return results


@pytest.mark.parametrize("game", nightly_after(1, RECORDED))
def test_recorded_games_have_the_same_states(game: str, tmp_path: Path) -> None:
    said = native("replays", game, str(built(game)))
    assert len(said["cases"]) >= 100
    assert in_wasm("replays", game, said, tmp_path) == said["results"]


@pytest.mark.parametrize("game", nightly_after(1, NAMES))
def test_searches_grow_the_same_trees(game: str, tmp_path: Path) -> None:
    said = native("searches", game, str(built(game)))
    assert len(said["cases"]) >= 20
    assert native("searches", game, COMPILE) == said
    assert in_wasm("searches", game, said, tmp_path) == said["results"]
