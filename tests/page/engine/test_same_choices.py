"""The search in the page finds what Python's finds, and each level plays the same turn."""

from functools import cache
from typing import Any

import pytest

import engine
from tests.ahead import PATIENCE_S, built
from tests.matrix import nightly_after
from tests.page.engine import native_choices
from tests.page.engine.program import printed_by
from tests.page.scripts import answers

NAMES = [game.name for game in engine.games()]
TERMS = {
    "megabytes": native_choices.MEGABYTES,
    "seed": native_choices.SEED,
    "playouts": native_choices.PLAYOUTS,
    "count": native_choices.COUNT,
}

pytestmark = [pytest.mark.xdist_group("engine as WebAssembly"), pytest.mark.timeout(PATIENCE_S)]


@cache
def native(game: str) -> dict[str, list[dict[str, Any]]]:
    return printed_by("native_choices", game, kernels=str(built(game)))


def in_page(function: str, game: str) -> list[Any]:
    cases = native(game)[function]
    asked = [{key: value for key, value in case.items() if key != "found"} for case in cases]
    [found] = answers("engine/choices.js", [(function, str(built(game)), asked, TERMS)])
    results: list[Any] = found
    return results


@pytest.mark.parametrize("game", nightly_after(1, NAMES))
def test_searches_find_the_same_candidates(game: str) -> None:
    cases = native(game)["searches"]
    assert len(cases) >= 20
    assert in_page("searches", game) == [case["found"] for case in cases]


@pytest.mark.parametrize("game", nightly_after(1, NAMES))
def test_a_worker_judges_alike(game: str) -> None:
    for found, case in zip(in_page("judgements", game), native(game)["judgements"], strict=True):
        for here, there in zip(found, case["found"], strict=True):
            # The curve from values to chances needs `exp` and `pow`, whose last bit may differ.
            assert here.pop("value") == pytest.approx(there.pop("value"), abs=1e-12)
            assert here == there


@pytest.mark.parametrize("game", nightly_after(1, NAMES))
def test_each_level_plays_the_same_turns(game: str) -> None:
    cases = native(game)["levels"]
    assert in_page("levels", game) == [case["found"] for case in cases]
