"""Prose is wrapped, so that a change of a page shows what changed."""

import re
from pathlib import Path

import pytest

from tests.docs.pages import PAGES

LONGEST = 120
FENCED = re.compile(r"^( *)```.*?^\1```$", re.MULTILINE | re.DOTALL)
NOT_WRAPPED = re.compile(r"^(?:\||#|!\[|<| {4})")
"""Tables, headings, pictures, HTML and code."""


def too_long(text: str) -> list[str]:
    lines = FENCED.sub("", text).splitlines()
    return [line for line in lines if len(line) > LONGEST and not NOT_WRAPPED.match(line)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_line_of_prose_is_too_long(page: Path) -> None:
    assert too_long(page.read_text(encoding="utf-8")) == []


def test_only_prose_counts() -> None:
    assert too_long(f"| {'a ' * 70} |\n\n    {'b ' * 70}\n\n{'c ' * 70}\n") == ["c " * 70]
