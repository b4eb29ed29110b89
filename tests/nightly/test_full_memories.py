"""Memories that are full of their worst entries take what their budgets say, and no more."""

import json
import subprocess
import sys
from typing import Any, Final

import pytest

from tools import ROOT

MOST_TOGETHER: Final = 500_000_000
"""Bytes by which an arena grows when all its memories are full."""
SLACK: Final = 10_000_000
"""What the allocator keeps."""


@pytest.mark.timeout(900)
def test_full_memories_take_at_most_their_budgets() -> None:
    filling = subprocess.run(
        [sys.executable, "-m", "tests.nightly.filling"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        check=True,
    )
    together, *each = json.loads(filling.stdout)
    assert together["grown"] <= MOST_TOGETHER, each
    assert [row for row in each if not _is_as_said(row)] == []


def _is_as_said(row: dict[str, Any]) -> bool:
    budget, said, grown = (int(row[name]) for name in ("budget", "said", "grown"))
    return said > budget // 2 and grown <= budget * 1.2 + SLACK
