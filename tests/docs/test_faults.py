"""The page about the architecture names every fault that is tried."""

import re

from tests.chaos.trial import FAULTS
from tests.docs.pages import ROOT


def test_every_fault_stands_on_the_page() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    listed = re.findall(r"^\| `([a-z-]+)` \|", page.partition("## Faults")[2], re.MULTILINE)
    assert listed == list(FAULTS)
