"""The same measurement has the same figure on every page: docs/measured.toml has it once."""

import re
import tomllib
from typing import Any

import pytest

from tests.docs.pages import PAGES, ROOT

KINDS: list[dict[str, Any]] = tomllib.loads(
    (ROOT / "docs" / "measured.toml").read_text(encoding="utf-8")
)["kind"]
TEXTS = {
    page.name: re.sub(r"\s+", " ", page.read_text(encoding="utf-8"))
    for page in PAGES
    if page.name != "measurements-log.md"
}


def stated(said: str, text: str) -> list[str]:
    return ["".join(found.groups(default="")) for found in re.finditer(said, text)]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind["about"])
def test_pages_state_measured_figures_only(kind: dict[str, Any]) -> None:
    found = [(name, each) for name, text in TEXTS.items() for each in stated(kind["said"], text)]
    known = {figure["value"] for figure in kind["figure"]}
    assert [place for place in found if place[1] not in known] == []
    assert known - {value for _, value in found} == set(), "no page states it"


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind["about"])
def test_a_figure_says_how_it_was_measured(kind: dict[str, Any]) -> None:
    for figure in kind["figure"]:
        assert figure["what"]
        if figure["command"]:
            assert re.fullmatch("[0-9a-f]{8}", figure["commit"])
            assert figure["date"]
            assert figure["machine"]
