"""The page about faults names every fault that is tried."""

import re

from tests.chaos.campaign import EVERY_FAULT
from tests.chaos.cluster_faults import SHARES
from tests.docs.pages import ROOT


def test_every_fault_is_on_the_page() -> None:
    page = (ROOT / "docs" / "faults.md").read_text()
    chapter = page.partition("## Chaos")[2].partition("## Mutants")[0]
    before, _, rest = chapter.partition("### Several processes")
    several, _, after = rest.partition("\n### ")
    alone = before + after
    assert re.findall(r"^\| `([a-z-]+)` \|", alone, re.MULTILINE) == list(EVERY_FAULT)
    shares = re.findall(r"^\| `([a-z-]+)` \| (\d+) % \|", several, re.MULTILINE)
    assert dict(shares) == {name: str(share) for name, share in SHARES.items()}
