"""The command line for every test here."""

import logging
from collections.abc import Iterator

import pytest
import structlog

from tests.bot.cli.commands import Bluestone


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
