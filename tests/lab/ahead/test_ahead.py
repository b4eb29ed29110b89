"""`make lab ARGS=ahead`: all kinds of kernels search the same, and are compared within a round."""

from pathlib import Path

import pytest

from bot.errors import HostError
from engine.kernel.processor import levels_here
from lab.ahead.ahead import (
    DENO,
    JIT,
    WASM,
    Case,
    FileSize,
    all_runners,
    check_built,
    measure,
    size_table,
    sizes_of,
    speed_of,
    speed_table,
)
from tests.ahead import PATIENCE_S, built
from tests.skipping import skip

GAME = "bluestone"
PLAYOUTS = 300


def test_ratios_are_those_within_a_round() -> None:
    rounds = [{JIT: 100.0, WASM: 50.0}, {JIT: 200.0, WASM: 100.0}, {JIT: 400.0, WASM: 300.0}]
    speed = speed_of(Case(GAME, network=True), rounds)
    assert speed.playouts == {JIT: 200, WASM: 100}
    assert speed.of_jit == {JIT: 1.0, WASM: 0.5}
    assert [*speed_table([speed]).rows] == [(f"{GAME}, network", "200", "100 (0.50)")]


def test_sizes_are_those_of_the_files(tmp_path: Path) -> None:
    file = tmp_path / "blooms.wasm"
    file.write_bytes(bytes(5000))
    [size] = sizes_of([file])
    assert (size.file, size.size) == ("blooms.wasm", 5000)
    assert size.compressed < 100
    assert [*size_table([FileSize("a", 5000, 40)]).rows] == [("a", "5,000", "40")]


def test_a_build_of_other_sources_is_refused(tmp_path: Path) -> None:
    with pytest.raises(HostError, match=r"run python -m tools\.ahead"):
        check_built(tmp_path)


@pytest.mark.xdist_group("engine as WebAssembly")
@pytest.mark.timeout(PATIENCE_S)
def test_all_kinds_of_kernels_grow_the_same_tree() -> None:
    if not DENO.is_file():
        skip("there is no deno here")
    folder = built(GAME)
    check_built(folder)
    asked = {"game": GAME, "network": True, "playouts": PLAYOUTS}
    found = {}
    for name, made in all_runners(folder):
        with made as runner:
            answer = runner.ask(asked)
            found[name] = answer["playouts"], answer["visits"]
    assert found == dict.fromkeys([JIT, levels_here()[0], WASM], (PLAYOUTS, PLAYOUTS))
    [speed] = measure([Case(GAME, network=False)], folder, rounds=1, playouts=PLAYOUTS)
    assert all(each > 0 for each in speed.playouts.values())
