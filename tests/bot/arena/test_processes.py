"""An installation without the package that makes processes one arena."""

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from bot.arena import processes
from bot.arena.processes import Clustering
from bot.arena.server import running_arena
from bot.arena.settings import load_settings
from bot.errors import ConfigurationError
from bot.runtime.doors import Door


def no_entries(_group: str) -> list[EntryPoint]:
    return []


async def test_several_processes_are_refused_before_anything_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    door: Door[Clustering] = Door("bluestone.clusters", "cluster", Clustering, no_entries)
    monkeypatch.setattr(processes, "CLUSTERS", door)
    data = tmp_path / "data"
    settings = load_settings(
        environ={},
        data=data,
        port=0,
        database="postgresql://127.0.0.1:1/none",
        cluster={"link": "127.0.0.1:0"},
    )
    with pytest.raises(ConfigurationError, match="runs an arena as one process only"):
        async with running_arena(settings):
            pass
    assert not data.exists()
