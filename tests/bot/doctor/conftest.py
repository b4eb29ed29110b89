"""`bluestone doctor` as a shell would run it, beside servers of the test's own."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from tests.bot.cli.commands import Bluestone
from tests.bot.cli.conftest import bluestone as bluestone

_OURS = re.compile(r"(ok  |warn|FAIL)  \S|\d+ ok, ")


@dataclass(frozen=True)
class Report:
    """The lines of the report, and the exit code."""

    code: int
    lines: Sequence[str]

    @property
    def only(self) -> str:
        """The only line about a check; the last line of the report has the numbers."""
        [line] = self.lines[:-1]
        return line

    def bad(self) -> list[str]:
        return [line for line in self.lines[:-1] if not line.startswith("ok")]


class Doctor:
    """Call it with the command's words."""

    def __init__(self, bluestone: Bluestone) -> None:
        self.bluestone = bluestone

    def now(self, *words: object) -> Report:
        outcome = self.bluestone("doctor", *words)
        assert outcome.err == ""
        lines = outcome.out.splitlines()  # among them may be the log of an arena in this process
        return Report(outcome.code, [line for line in lines if _OURS.match(line)])

    async def __call__(self, *words: object) -> Report:
        """Run it while the event loop serves something."""
        return await asyncio.to_thread(self.now, *words)


@pytest.fixture
def doctor(bluestone: Bluestone) -> Doctor:
    return Doctor(bluestone)
