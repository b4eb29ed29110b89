from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.daemon.journal import open_journal
from tests.bot.daemon.desk import Desk
from tests.bot.daemon.session_table import Table
from tests.fakes.time import FakeTime


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[Table]:
    file, time = tmp_path / "journal.db", FakeTime()
    async with open_journal(file, time) as journal:
        yield Table(journal, file, time)
