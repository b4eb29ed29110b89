"""What decides whether the engine for the page is built again."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from bot.arena.web.engine_files import ENGINE
from engine.warming import kernels_version
from tools.ahead import build as ahead


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The games that were built, into a page in another folder."""
    found = list[str]()

    def build(output: Path, names: Sequence[str], _targets: Sequence[str]) -> None:
        for name in names:
            (output / f"{name}.wasm").write_bytes(b"")
            (output / f"{name}.json").write_text(json.dumps({"sources": kernels_version()}))
            found.append(name)

    monkeypatch.setattr(ahead, "PAGE", tmp_path)
    monkeypatch.setattr(ahead, "PAGE_ENGINE", tmp_path / ENGINE)
    monkeypatch.setattr(ahead, "AHEAD", tmp_path / "build" / "ahead")
    monkeypatch.setattr(ahead, "build", build)
    return found


def test_the_engine_for_the_page_is_built_once(built: list[str]) -> None:
    ahead.build_page(["clump"])
    ahead.build_page(["clump"])
    assert built == ["clump"]


def test_it_is_built_again_for_more_games_and_by_other_tools(
    built: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ahead.build_page(["clump"])
    ahead.build_page(["clump", "heap"])
    assert built == ["clump", "clump", "heap"]
    monkeypatch.setattr(ahead, "page_version", lambda: "another")
    ahead.build_page(["clump", "heap"])
    assert built[3:] == ["clump", "heap"]


def test_the_steps_say_what_they_do_and_how_many_there_are() -> None:
    lines = [words for _, _, words in ahead.steps(["clump", "heap"], ["x86-64-v3", "wasm32"])]
    assert lines == [
        "[1 of 4] clump: note the types of its kernels",
        "[2 of 4] clump: compile for x86-64-v3, wasm32",
        "[3 of 4] heap: note the types of its kernels",
        "[4 of 4] heap: compile for x86-64-v3, wasm32",
    ]
