"""A tournament to look at."""

import pytest

from bot.matches.report.chronicle import Chronicle, chronicle
from bot.matches.report.page import report_page
from bot.matches.report.reading import Entry
from tests.bot.matches.made_up import tournament


@pytest.fixture(scope="session")
def story() -> Chronicle:
    return chronicle(Entry(at, event) for at, event in tournament())


@pytest.fixture(scope="session")
def page(story: Chronicle) -> str:
    return report_page(story)
