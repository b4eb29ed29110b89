"""Systems on which engines run."""

import os
from pathlib import Path

import pytest

import bot
from bot.runtime import guardian, system_calls
from tests.fakes import without_namespaces
from tests.skipping import skip


@pytest.fixture(params=["namespaces", "plain"])
def system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A system that allows namespaces, if this one does, and one that forbids them."""
    if not system_calls.is_supported():
        skip("the filter of system calls is not for this processor")
    if request.param == "plain":
        monkeypatch.setattr(guardian, "COMMAND", without_namespaces.COMMAND)
        monkeypatch.setenv("PYTHONPATH", str(Path(bot.__file__).parents[1]), prepend=os.pathsep)
    return str(request.param)
