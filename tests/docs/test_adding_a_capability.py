"""The capability of docs/adding-a-capability.md works as a package of its own."""

import re
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

import aiohttp
import pytest

from bot.arena import capability
from bot.arena.capability import Capability
from bot.arena.server import running_arena
from bot.arena.store import tables
from bot.arena.store.tables import Tables
from bot.runtime.doors import Door
from tests.bot.arena.table import settings
from tests.fakes.arena_client import connected
from tools import ROOT

PAGE = ROOT / "docs" / "adding-a-capability.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The package of the page, as if it were installed."""
    blocks = dict(BLOCK.findall(PAGE.read_text(encoding="utf-8")))
    (tmp_path / "thanks.py").write_text(blocks["python"], encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    entries = tomllib.loads(blocks["toml"])["project"]["entry-points"]

    def installed(group: str) -> Iterable[EntryPoint]:
        new = [EntryPoint(name, at, group) for name, at in entries[group].items()]
        return [*entry_points(group=group), *new]

    capabilities: Door[Capability] = Door(
        "bluestone.capabilities", "capability", Capability, installed
    )
    sets: Door[Tables] = Door("bluestone.tables", "set of tables", Tables, installed)
    monkeypatch.setattr(capability, "CAPABILITIES", capabilities)
    monkeypatch.setattr(tables, "TABLES", sets)
    _forget()
    yield
    monkeypatch.undo()
    _forget()


def _forget() -> None:
    tables.all_tables.cache_clear()
    tables.all_columns.cache_clear()


@pytest.mark.usefixtures("package")
async def test_the_example_keeps_what_players_say_and_shows_it(tmp_path: Path) -> None:
    data = tmp_path / "data"
    for total, name in ((1, "Anna"), (2, "Ben")):
        async with running_arena(settings(data)) as url, connected(url, name=name) as player:
            assert await player.ask("thanks.say") == {"v": 1, "ok": True}
            assert await player.refused("thanks.say", to="Cleo") == "invalid"
            async with aiohttp.ClientSession() as session, session.get(f"{url}/api/thanks") as got:
                assert await got.json() == {"total": total}


async def test_without_the_package_the_event_is_unknown(tmp_path: Path) -> None:
    async with running_arena(settings(tmp_path)) as url, connected(url, name="Anna") as anna:
        assert await anna.refused("thanks.say") == "unknown_event"
