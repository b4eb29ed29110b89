"""Sets of tables go together, or are refused by name before a database is touched."""

from collections.abc import Iterable
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

import pytest

from bot.arena.players.accounts import issue_token
from bot.arena.store import tables
from bot.arena.store.tables import CORE, Tables, all_tables, in_order
from bot.errors import ConfigurationError
from bot.runtime.doors import Door

FRIENDS = "CREATE TABLE friends (account TEXT PRIMARY KEY REFERENCES accounts (id));"


def core() -> list[Tables]:
    return [each for each in all_tables() if each.name in CORE]


def test_a_set_comes_after_those_to_which_it_refers() -> None:
    found = in_order([Tables("friends", FRIENDS, after=["players"]), *core()])
    names = [each.name for each in found]
    assert names.index("store") < names.index("players") < names.index("friends")


@pytest.mark.parametrize(
    ("late", "why"),
    [
        ([Tables("friends", FRIENDS, after=["clubs"])], "refer to 'clubs', which is not installed"),
        ([Tables("friends", FRIENDS), Tables("friends", FRIENDS)], "two sets .* 'friends'"),
        ([Tables("friends", FRIENDS), Tables("mates", FRIENDS)], "'friends' is a table of 'friend"),
        (
            [Tables("mine", "CREATE TABLE accounts (id TEXT);")],
            "'accounts' is a table of 'players'",
        ),
        (
            [Tables("one", "", after=["two"]), Tables("two", "", after=["one"])],
            "refer to each other: (one, two, one|two, one, two)",
        ),
    ],
)
def test_a_set_that_does_not_go_with_the_others_is_named(late: list[Tables], why: str) -> None:
    with pytest.raises(ConfigurationError, match=why):
        in_order([*late, *core()])


@pytest.mark.parametrize("lost", CORE)
async def test_an_installation_without_a_set_of_the_core_leaves_the_folder_usable(
    lost: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after an update of the sources without an installation."""
    use(monkeypatch, lambda found: [each for each in found if each.name != lost])
    with pytest.raises(ConfigurationError, match=rf"no tables of {lost}: install Bluestone again"):
        await issue_token(tmp_path, "robot")
    monkeypatch.undo()
    all_tables.cache_clear()
    assert await issue_token(tmp_path, "robot")


async def test_a_set_that_cannot_be_imported_stops_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without it, a game that ends would not be rated, and nobody would notice."""
    lost = EntryPoint("ratings", "bot.arena.nowhere:TABLES", tables.TABLES.group)
    use(monkeypatch, lambda found: [lost, *(each for each in found if each.name != "ratings")])
    with pytest.raises(ConfigurationError, match="tables 'ratings' cannot be imported"):
        await issue_token(tmp_path, "robot")


def use(monkeypatch: pytest.MonkeyPatch, change: object) -> None:
    """Let the packages that are installed name other sets of tables."""
    assert callable(change)

    def installed(group: str) -> Iterable[EntryPoint]:
        found: Iterable[EntryPoint] = change(entry_points(group=group))
        return found

    door: Door[Tables] = Door(tables.TABLES.group, "set of tables", Tables, installed)
    monkeypatch.setattr(tables, "TABLES", door)
    all_tables.cache_clear()
