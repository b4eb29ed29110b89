"""The commands that the pages name are commands of the program."""

import re
from functools import cache
from pathlib import Path

import pytest

from bot.cli.app import _build
from tests.docs.pages import LINKED
from tests.release.surface import commands

CODE = re.compile(r"`[^`\n]+`|^ {4}.*$", re.MULTILINE)
NAMED = re.compile(
    r"(?:^ {4}|`|[$] |&& |bin/)bluestone ([a-z][a-z-]+)(?: ([a-z][a-z-]+)(?![\w./:=+|]))?"
)
"""The first word is a command, and the second may be one of its commands, or an argument."""


@cache
def known() -> dict[str, set[str]]:
    """The words that may follow each command; none if it has arguments of its own."""
    names = set(commands(_build(), "bluestone"))
    first = {name.split()[1] for name in names if name.count(" ") == 1}
    return {
        name: {
            each.split()[2]
            for each in names
            if each.startswith(f"bluestone {name} ") and each.split()[2].islower()
            if not each.split()[2].startswith("-")
        }
        for name in first
    }


def unknown(text: str) -> list[str]:
    found = [named for code in CODE.findall(text) for named in NAMED.findall(code)]
    return [
        f"{first} {second}".rstrip()
        for first, second in found
        if first not in known() or (second and known()[first] and second not in known()[first])
    ]


@pytest.mark.parametrize("page", LINKED, ids=lambda page: page.name)
def test_every_command_that_a_page_names_exists(page: Path) -> None:
    assert unknown(page.read_text(encoding="utf-8")) == []


def test_a_command_that_does_not_exist_is_noticed() -> None:
    text = "Run `bluestone arena tokenn Flint`, then `bluestone flot`:\n\n    bluestone arena\n"
    assert unknown(text) == ["arena tokenn", "flot"]
