"""The command line for every test here."""

import logging
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import structlog

from bot.runtime import confinement
from tests.bot.cli.commands import Bluestone
from tests.skipping import skip


@pytest.fixture
def bluestone(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Bluestone]:
    """Commands set up logging for their whole process; what they set is undone."""
    monkeypatch.setenv("COLUMNS", "140")
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield Bluestone(capsys)
    root.handlers = handlers
    root.setLevel(level)
    structlog.reset_defaults()


@dataclass(frozen=True)
class Leaver:
    """An engine that plays at random, and leaves a mark where its box does not let it write."""

    command: list[str]
    folder: Path
    """The folder of the mark."""

    def has_left_a_mark(self) -> bool:
        return (self.folder / "mark").exists()


@pytest.fixture
def leaver(tmp_path: Path) -> Leaver:
    if confinement.landlock_version() < 1:
        skip("this machine has no Landlock")
    program, folder = tmp_path / "engine" / "leaver.py", tmp_path / "marks"
    program.parent.mkdir()
    folder.mkdir()
    program.write_text(
        "import sys\n"
        "from engine.ugi.__main__ import main\n"
        "try:\n"
        f"    open({str(folder / 'mark')!r}, 'w').close()\n"
        "except PermissionError as error:\n"
        "    print(error, file=sys.stderr)\n"
        "    sys.exit(9)\n"
        "main(['--engine', 'random'])\n"
    )
    return Leaver([sys.executable, str(program)], folder)
