"""The product imports and says what it needs where Numba and llvmlite are not installed."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from engine.kernel.library import ENVIRONMENT, LAYOUT
from engine.kernel.processor import levels_here
from engine.kernel.sources import sources_key
from tests.skipping import skip

WITHOUT_COMPILER = """
import importlib, pkgutil, sys
from importlib.machinery import PathFinder

class Hides(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        is_hidden = name.partition(".")[0] in ("numba", "llvmlite")
        return None if is_hidden else super().find_spec(name, path, target)

sys.meta_path[sys.meta_path.index(PathFinder)] = Hides
"""
COMPILERS = ("engine.kernel.llvm", "engine.neural.llvm", "engine.training")
"""What needs a compiler."""
IMPORT_ALL = f"""{WITHOUT_COMPILER}
import bot, engine
for package in (bot, engine):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if not module.name.startswith({COMPILERS}) and not module.name.endswith("__main__"):
            importlib.import_module(module.name)
"""


def run(code: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


@pytest.fixture
def library(tmp_path: Path) -> Mapping[str, str]:
    """The environment of a process that finds a library for this processor, which is empty."""
    levels = levels_here()
    if not levels:
        skip("there are no libraries for this processor")
    (tmp_path / f"{levels[0]}.so").touch()
    layout = {"sources": sources_key(), "entries": {}}
    (tmp_path / LAYOUT).write_text(json.dumps(layout), encoding="utf-8")
    return {ENVIRONMENT: str(tmp_path), "NUMBA_DISABLE_JIT": "0"}


def test_every_module_imports_with_a_library(library: Mapping[str, str]) -> None:
    done = run(IMPORT_ALL, **library)
    assert (done.returncode, done.stderr) == (0, "")


def test_every_module_imports_with_kernels_as_plain_python() -> None:
    done = run(IMPORT_ALL, NUMBA_DISABLE_JIT="1")
    assert (done.returncode, done.stderr) == (0, "")


COMMAND = f"{WITHOUT_COMPILER}from bot.cli import main\nsys.exit(main())"


def test_with_a_library_there_is_nothing_to_compile(library: Mapping[str, str]) -> None:
    done = run(COMMAND, "warm", **library)
    [line] = done.stderr.splitlines()
    assert line == f"the engine is ready: compiled ahead of time for {levels_here()[0]}"
    assert (done.returncode, done.stdout) == (0, "")


def test_the_doctor_says_which_library_is_used(library: Mapping[str, str]) -> None:
    done = run(COMMAND, "doctor", "--only", "kernels", **library)
    assert f"compiled ahead of time for {levels_here()[0]}: {library[ENVIRONMENT]}" in done.stdout
    assert done.returncode == 0


@pytest.mark.parametrize(
    "words",
    [["up"], ["play"], ["warm"], ["doctor"], ["engine"], ["bench", "playouts"]],
    ids=lambda words: words[0],
)
def test_without_both_each_command_says_in_one_line_what_to_install(
    words: list[str], tmp_path: Path
) -> None:
    place = ["--data", str(tmp_path)] if words[0] == "up" else []
    done = run(COMMAND, *words, *place, **{ENVIRONMENT: "compile", "NUMBA_DISABLE_JIT": "0"})
    [line] = done.stderr.splitlines()
    assert line.startswith("bluestone: there is no compiled engine for this processor")
    assert "pip install -c constraints.txt -e '.[compile]'" in line
    assert done.returncode == 71
