"""Capabilities of packages: one that cannot be imported is left out, one that fails is named."""

from collections.abc import Callable, Iterable
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from bot import wire
from bot.arena import capability
from bot.arena.capability import Capability, Core, Part
from bot.arena.server import running_arena
from bot.errors import ConfigurationError
from bot.runtime.doors import Door
from tests.bot.arena.table import begin, play_first, settings, setup
from tests.fakes.arena_client import connected


def fail(_core: Core) -> Part:
    raise RuntimeError("no such service")


FAILS = Capability("fails", fail)


def use(monkeypatch: pytest.MonkeyPatch, *more: tuple[str, str]) -> None:
    """Let another package be installed, with these entries."""

    def installed(group: str) -> Iterable[EntryPoint]:
        return [*entry_points(group=group), *(EntryPoint(*each, group) for each in more)]

    read: Callable[[str], Iterable[EntryPoint]] = installed
    door: Door[Capability] = Door("bluestone.capabilities", "capability", Capability, read)
    monkeypatch.setattr(capability, "CAPABILITIES", door)


async def test_one_that_cannot_be_imported_is_logged_and_the_rest_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, ("gone", "bot.arena.nowhere:GONE"))
    with capture_logs() as logs:
        async with running_arena(settings(tmp_path)) as url, connected(url, name="Anna") as anna:
            assert (await anna.ask("puzzle.ask", game="bluestone"))["ok"]
    [entry] = [each for each in logs if each["event"] == "capability_unusable"]
    assert (entry["capability"], entry["log_level"]) == ("gone", "error")
    assert "cannot be imported" in entry["error"]


async def test_an_arena_without_capabilities_has_casual_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing: Door[Capability] = Door(
        "bluestone.capabilities", "capability", Capability, lambda _group: []
    )
    monkeypatch.setattr(capability, "CAPABILITIES", nothing)
    async with (
        running_arena(settings(tmp_path)) as url,
        connected(url, name="Anna") as anna,
        connected(url, name="Ben") as ben,
    ):
        rated = {"setup": setup(rated=True), "seats": ["Anna", "Ben"], "random_seats": False}
        assert await anna.refused("challenge.create", **rated) == "not_rated"
        await play_first(anna, ben, await begin(anna, ben))
        lobby = await anna.wait_for(wire.Lobby, lambda seen: bool(seen.games))
        assert {player.name for player in lobby.players} == {"Anna", "Ben"}


async def test_one_that_cannot_be_opened_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, ("fails", f"{__name__}:FAILS"))
    with (
        pytest.raises(ConfigurationError, match="'fails' cannot be opened: RuntimeError: no such"),
        capture_logs(),
    ):
        async with running_arena(settings(tmp_path)):
            pass
