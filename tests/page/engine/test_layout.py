"""A host in JavaScript sets up boards as the engine does, and passes only what an entry takes."""

import hashlib
from itertools import product
from typing import Any

import pytest

import engine
from tests.ahead import PATIENCE_S, built
from tests.matrix import nightly_after
from tests.page.scripts import answers

SCRIPT = "engine/kernels.js"

pytestmark = [pytest.mark.xdist_group("engine as WebAssembly"), pytest.mark.timeout(PATIENCE_S)]


def setups(info: engine.GameInfo) -> list[dict[str, Any]]:
    """Each board with each rule set, and with other values of each option."""
    values = {
        option.name: option.choices or (option.low, 14 if option.below else option.high)
        for option in info.options
    }
    options: list[dict[str, Any]] = [{}]
    options += [{name: value} for name, found in values.items() for value in found]
    return [
        {"board": board, "rules": rules, "options": chosen}
        for board, rules, chosen in product(info.boards, info.rule_sets, options)
    ]


@pytest.mark.parametrize("info", nightly_after(1, engine.games()), ids=lambda info: info.name)
def test_boards_are_those_of_the_engine(info: engine.GameInfo) -> None:
    cases = setups(info)
    folder = str(built(info.name))
    found = answers(SCRIPT, [("boardDigest", folder, info.name, each) for each in cases])
    for setup, digest in zip(cases, found, strict=True):
        rules, options = setup["rules"], setup["options"]
        game = engine.game(info.name, board=setup["board"], rules=rules, **options)
        assert digest == hashlib.sha256(game.mechanics.record.tobytes()).hexdigest()[:12], setup


@pytest.mark.nightly
def test_options_that_exclude_each_other_are_refused() -> None:
    folder = str(built("blooms"))
    setups = [
        {"board": "hexhex-4", "rules": "official", "options": {"captures": 15, "handicap_2": each}}
        for each in (14, "15")
    ]
    found = answers(SCRIPT, [("boardRefusal", folder, "blooms", each) for each in setups])
    assert found == [None, "handicap_2 of blooms takes a number below captures"]


def test_what_an_entry_does_not_take_is_refused() -> None:
    [info, *_] = engine.games()
    folder = str(built(info.name))
    calls: list[tuple[object, ...]] = [
        ("refusal", folder, info.name, "try_step", 1, 2, 3),
        ("refusal", folder, info.name, "try_step", 1),
        ("refusal", folder, info.name, "resign"),
    ]
    assert answers(SCRIPT, calls) == [
        'try_step.board is not of the kind {"record":"board"}',
        "bluestone has no try_step of 1 values",
        "bluestone has no resign of 0 values",
    ]
