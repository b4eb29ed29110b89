"""A command that ends with the process that wanted it."""

import os
import subprocess
import sys

import pytest


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
@pytest.mark.parametrize("is_there", [True, False])
def test_a_parent_that_is_gone_already_is_noticed(is_there: bool) -> None:
    parent = os.getpid() if is_there else os.getpid() + 1
    words = [sys.executable, "-m", "bot.cli.guarded", str(parent), "--version"]
    program = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60)
    assert bool(program.stdout) is is_there
