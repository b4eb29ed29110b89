"""Each command that the pages tell people to run is run somewhere, or is listed with a reason."""

import re
import shlex
from pathlib import Path

import pytest

from tests.docs.command_lines import (
    HANDBOOK,
    NOT_RUN,
    README,
    commands,
    commands_in,
    steps,
    ways_to_install,
)
from tests.docs.pages import LINKED, ROOT

INSTALL = re.compile(r"pip[\"',]* install((?:[ ,]+[^\s`|&;]+)+)")
OTHERS = {
    "pip": "brings itself up to date",
    "pre-commit": "of contributors, in their own environment",
    "python-socketio[asyncio_client]": "the client library of a bot in Python",
    "torch": "of PyTorch's own index",
    "uv": "the Makefile's quick installer",
}
"""Packages that instructions install by name, and why. Each is a package of that name on PyPI."""
WITH_VALUE = ("-c", "-r", "--python", "--index-url", "--only-binary")


def files() -> list[Path]:
    programs = [path for folder in ("bot", "engine") for path in (ROOT / folder).rglob("*.py")]
    config = [path for path in (ROOT / "config").iterdir() if path.is_file()]
    return [*LINKED, *programs, *config, ROOT / "Dockerfile", ROOT / "Makefile"]


def installed_by_name(text: str) -> set[str]:
    """The packages that commands in a text install from an index, by their names."""
    found = set()
    for words in INSTALL.findall(text.replace("\\\n", "")):
        ended = re.split(r"`|#|\)", words)[0]
        try:
            split = shlex.split(ended)
        except ValueError:
            split = ended.replace("'", "").replace('"', "").split()
        for before, word in zip(["", *split], split, strict=False):
            is_file = word.startswith((".", "/", "$")) or word.endswith((".whl", ".txt"))
            if word.startswith("-") or before in WITH_VALUE or is_file:
                continue
            found.add(word.strip(".,;:\"'"))
            break  # the words after it may be prose
    return found


def test_every_command_is_run_or_listed_with_a_reason() -> None:
    """The nightly test runs all commands of both pages but those of `NOT_RUN`, in their order."""
    known = {*commands(README), *commands(HANDBOOK)}
    assert [line for line in NOT_RUN if line not in known] == [], "no page has these any more"
    assert all(NOT_RUN.values())


def test_every_way_to_install_is_complete() -> None:
    ways = ways_to_install()
    assert set(ways) == {"git", "hashes", "wheel"}
    assert all(way[-1] == "bluestone --version" for way in ways.values())
    assert "cd /opt/bluestone && make install" in ways["git"]
    assert sum("--require-hashes" in line for line in ways["hashes"]) == 1
    assert ways["wheel"][-2].endswith(".whl")
    assert not any("compile" in line for line in ways["wheel"])


def test_commands_are_found_in_indented_and_in_fenced_blocks() -> None:
    text = "a\n\n    one  # why\n    two \\\n      more &&\n      last\n\n```sh\nthree\n```\n\n"
    assert commands_in(text + "```toml\nfour = 4\n```\n") == ["one", "two more && last", "three"]


def test_the_steps_of_the_dockerfile_are_read() -> None:
    found = steps()
    assert [step.word for step in found].count("FROM") == 2
    assert [step.rest for step in found if step.rest.startswith("python -m tools.dist")] != []


@pytest.mark.parametrize("path", files(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_instruction_installs_a_package_of_ours_or_of_a_stranger_by_name(path: Path) -> None:
    """Nobody owns the name `bluestone` on PyPI; who registers it would run code at operators'."""
    if path.name == "CHANGELOG.md":
        pytest.skip("it tells what former versions said")
    assert installed_by_name(path.read_text(encoding="utf-8")) <= OTHERS.keys()


def test_a_package_that_is_installed_by_name_is_noticed() -> None:
    assert installed_by_name("    pip install 'bluestone[cluster]'\n") == {"bluestone[cluster]"}
    assert installed_by_name("`uv pip install -c constraints.txt -e '.[fuzz]'` for") == set()
    assert installed_by_name("run pip install --no-deps bluestone-1.0.0-py3-none-any.whl") == set()
