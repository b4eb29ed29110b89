"""A made-up tournament, and its report."""

import pytest

from bot.matches.report.chronicle import Chronicle
from bot.matches.report.page import report_page
from tests.bot.matches.made_up import chronicle, tournament


@pytest.fixture(scope="session")
def story() -> Chronicle:
    return chronicle(tournament())


@pytest.fixture(scope="session")
def page(story: Chronicle) -> str:
    return report_page(story)
