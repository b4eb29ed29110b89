"""A tournament to look at."""

import pytest

from bot.matches.ledger import LedgerEntry
from bot.matches.report.chronicle import Chronicle
from bot.matches.report.page import report_page
from tests.bot.matches.made_up import tournament
from tests.bot.matches.report.chronicles import chronicle


@pytest.fixture(scope="session")
def story() -> Chronicle:
    return chronicle(LedgerEntry(at=at, event=event) for at, event in tournament())


@pytest.fixture(scope="session")
def page(story: Chronicle) -> str:
    return report_page(story)
