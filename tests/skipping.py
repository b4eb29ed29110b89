"""Tests that need a program which not every machine can have."""

import os
from typing import NoReturn

import pytest


def skip(reason: str) -> NoReturn:
    """Skip this test, or fail it where nothing may be skipped, as in continuous integration."""
    if os.environ.get("BLUESTONE_SKIP_NOTHING") == "1":
        pytest.fail(f"{reason}, and BLUESTONE_SKIP_NOTHING=1 forbids that")
    pytest.skip(reason)
