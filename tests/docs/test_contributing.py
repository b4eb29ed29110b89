"""What CONTRIBUTING.md names is there, and whatever checks a commit is what `make check` runs."""

import re

from bot.cli.app import COMMANDS
from tests.docs.pages import CONTRIBUTING, ROOT

PAGE = CONTRIBUTING.read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = set(re.findall(r"^([a-z-]+):.*## ", MAKEFILE, re.MULTILINE))


def recipe(target: str) -> list[str]:
    """The commands of a target, as one would type them."""
    (lines,) = re.findall(rf"^{target}:.*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)
    return [line.strip().replace("$(BIN)", ".venv/bin") for line in lines.splitlines()]


def test_every_file_that_it_names_is_there() -> None:
    named = set(re.findall(r"`([a-z_.]+/[\w./-]+|[\w.-]+\.(?:toml|txt|md))`", PAGE))
    assert len(named) > 20
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []


def test_every_command_that_it_names_is_there() -> None:
    targets = set(re.findall(r"\bmake ([a-z-]+)\b(?= *[#`A]|$)", PAGE, re.MULTILINE))
    commands = set(re.findall(r"\bbluestone ([a-z]+)", PAGE))
    assert len(targets) > 6
    assert targets <= TARGETS
    assert commands
    assert commands <= set(COMMANDS)


def test_before_a_commit_runs_what_make_check_runs() -> None:
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    assert re.findall(r"^ +entry: (.+)$", hooks, re.MULTILINE) == recipe("check")
