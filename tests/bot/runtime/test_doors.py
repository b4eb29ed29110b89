"""Entries of installed packages are found by name, and an unusable one breaks nothing else."""

from collections.abc import Iterable
from importlib.metadata import EntryPoint

import pytest

from bot.backoff import Backoff
from bot.errors import ConfigurationError
from bot.runtime.doors import Command, Door, UnusableEntry

GROUP = "bluestone.tests"
FOUND = Command("a.module:function", "A command.")
OTHER = "no command"


def installed(group: str) -> Iterable[EntryPoint]:
    assert group == GROUP
    here = __name__
    return [
        EntryPoint("fitting", f"{here}:FOUND", group),
        EntryPoint("deleted", "bot.guests.nobody.commands:COMMAND", group),
        EntryPoint("nameless", f"{here}:LOST", group),
        EntryPoint("other", f"{here}:OTHER", group),
    ]


@pytest.fixture
def door() -> Door[Command]:
    return Door(GROUP, "command", Command, installed)


def test_an_entry_is_loaded_by_its_name(door: Door[Command]) -> None:
    assert door.names == ["deleted", "fitting", "nameless", "other"]
    assert door.load("fitting") is FOUND


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("deleted", "'deleted' cannot be imported: ModuleNotFoundError"),
        ("nameless", "'nameless' cannot be imported: AttributeError"),
        ("other", "'other' is no Command"),
    ],
)
def test_an_unusable_entry_is_reported_by_its_name(
    door: Door[Command], name: str, why: str
) -> None:
    with pytest.raises(UnusableEntry, match=why):
        door.load(name)
    assert why in door.problems()[name]


def test_unusable_entries_do_not_hide_the_others(door: Door[Command]) -> None:
    assert door.usable() == {"fitting": FOUND}


def test_an_unknown_name_is_refused_with_those_that_are_known(door: Door[Command]) -> None:
    with pytest.raises(ConfigurationError, match="no command 'fiting'; known: deleted, fitting"):
        door.load("fiting")


def test_a_command_is_imported_by_its_path() -> None:
    assert Command("bot.backoff:Backoff").load() is Backoff
    with pytest.raises(UnusableEntry, match=r"the command nowhere:run cannot be imported"):
        Command("nowhere:run").load()
