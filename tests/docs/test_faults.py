"""The page about faults names every fault that is tried."""

import re

from tests.chaos.campaign import EVERY_FAULT
from tests.docs.pages import ROOT


def test_every_fault_is_on_the_page() -> None:
    page = (ROOT / "docs" / "faults.md").read_text()
    chapter = page.partition("## Chaos")[2].partition("## Mutants")[0]
    listed = re.findall(r"^\| `([a-z-]+)` \|", chapter, re.MULTILINE)
    assert listed == list(EVERY_FAULT)
