"""How the kernels of a process run."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from engine.errors import KernelsMissing
from engine.kernel import mode
from engine.kernel.mode import Mode, choose


@pytest.fixture
def without_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mode, "library_file", lambda: None)


def test_python_can_be_asked_for() -> None:
    assert choose({"NUMBA_DISABLE_JIT": "1"}) is Mode.PYTHON


def test_a_library_that_fits_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mode, "library_file", lambda: Path("x86-64-v3.so"))
    assert choose({}) is Mode.LIBRARY
    assert choose({"NUMBA_DISABLE_JIT": "0"}) is Mode.LIBRARY


@pytest.mark.usefixtures("without_library")
def test_without_a_library_kernels_are_compiled() -> None:
    assert choose({}) is Mode.COMPILED


@pytest.mark.usefixtures("without_library")
def test_without_a_compiler_too_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(mode, "find_spec", lambda _: None)
    with pytest.raises(KernelsMissing, match="extra `compile`"):
        choose({})


def test_only_compiling_loads_numba() -> None:
    assert importlib.util.find_spec("numba")
    code = "import sys, engine; engine.game('bluestone').start(); print('numba' in sys.modules)"
    ran = subprocess.run(
        [sys.executable, "-c", code],
        env={"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout == "False\n"
