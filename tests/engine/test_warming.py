"""Compiling ahead of time."""

import subprocess
import sys
from pathlib import Path

import pytest

from engine import kernel_cache, warming


@pytest.fixture
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the test's own."""
    monkeypatch.setattr(kernel_cache, "directory", lambda: tmp_path)
    return tmp_path


def test_warming_says_what_it_does_and_is_remembered(own_folder: Path) -> None:
    assert not warming.is_warm()
    labels: list[str] = []
    warming.warm(labels.append)
    assert labels[:2] == ["Bluestone: rules", "Bluestone: playouts"]
    assert warming.is_warm()
    (own_folder / "warm").write_text("another processor")
    assert not warming.is_warm()


def test_asking_does_not_load_the_compiler() -> None:
    ask = "import sys; from engine import warming; warming.is_warm()"
    code = f"{ask}; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
