"""The page about `bluestone doctor` has every check, and no other."""

import re

from bot.doctor.checks import CHECKS
from tests.docs.pages import ROOT

PAGE = (ROOT / "docs" / "doctor.md").read_text(encoding="utf-8")


def test_the_table_has_every_check_in_order() -> None:
    table = PAGE.partition("\n## All checks\n")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == [each.name for each in CHECKS]


def test_the_example_shows_checks_that_exist() -> None:
    shown = set(re.findall(r"^(?:ok  |warn|FAIL)  (\w+)", PAGE, re.MULTILINE))
    assert len(shown) >= 4
    assert shown <= {each.name for each in CHECKS}
