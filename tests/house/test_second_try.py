"""`make test` gives failed tests a second try, which hides nothing else."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.second_try import MOST
from tools import ROOT

RACE = """
import pathlib
import pytest

MET = pathlib.Path(__file__).with_suffix(".met")

@pytest.mark.xdist_group("pairs")
@pytest.mark.parametrize("text", ["a@b", "x]y"])
def test_that_fails_once(text):
    if not MET.with_stem(text[0]).exists():
        MET.with_stem(text[0]).touch()
        assert False

@pytest.mark.xdist_group("alone")
def test_in_a_group():
    if not MET.exists():
        MET.touch()
        assert False
"""
FAILS = "def test_that_fails(): assert False"
PASSES = "def test_that_passes(): pass"
SKIPS_LATER = """
import pathlib
import pytest

def test_that_is_skipped_later():
    met = pathlib.Path(__file__).with_suffix(".met")
    if met.exists():
        pytest.skip("not now")
    met.touch()
    assert False
"""
GONE_LATER = """
import pathlib

met = pathlib.Path(__file__).with_suffix(".met")
if not met.exists():
    def test_that_is_gone_later():
        met.touch()
        assert False
"""
ERRS_AT_THE_END = """
import pytest

@pytest.fixture
def thing():
    yield
    assert False

def test_that_passes_with_an_error_at_its_end(thing): pass
"""

SPREAD = ("-p", "xdist", "-n", "1", "--dist", "loadgroup")


def run(folder: Path, *sources: str, options: tuple[str, ...] = ()) -> tuple[int, list[str]]:
    """Run the script on files of tests; returns its exit status and what it says at the end."""
    (folder / "pytest.ini").write_text("[pytest]\n")
    for number, source in enumerate(sources):
        (folder / f"test_{number}.py").write_text(source)
    done = subprocess.run(
        [sys.executable, "-m", "tests.second_try", *options],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    lines = done.stdout.splitlines()
    return done.returncode, [each for each in lines if each.startswith(("did not", "passed at"))]


def test_races_pass_at_the_second_try_and_are_listed_last(tmp_path: Path) -> None:
    status, said = run(tmp_path, RACE, PASSES, options=SPREAD)
    assert status == 0
    assert sorted(said) == [
        "passed at the second try, mend its race: test_0.py::test_in_a_group",
        "passed at the second try, mend its race: test_0.py::test_that_fails_once[a@b]",
        "passed at the second try, mend its race: test_0.py::test_that_fails_once[x]y]",
    ]


def test_one_that_fails_again_fails_the_run(tmp_path: Path) -> None:
    status, said = run(tmp_path, RACE, FAILS)
    assert status == 1
    assert "did not pass at the second try: test_1.py::test_that_fails" in said
    assert len(said) == 4


@pytest.mark.parametrize("source", [SKIPS_LATER, GONE_LATER, ERRS_AT_THE_END])
def test_one_that_does_not_pass_fails_the_run(tmp_path: Path, source: str) -> None:
    status, _ = run(tmp_path, source, PASSES)
    assert status != 0


@pytest.mark.parametrize("other", ["import nothing_of_this_name", "raise KeyboardInterrupt"])
def test_only_failed_tests_have_a_second_try(tmp_path: Path, other: str) -> None:
    status, said = run(tmp_path, RACE, other)
    assert (status != 0, said) == (True, [])


def test_no_test_at_all_fails_the_run(tmp_path: Path) -> None:
    assert run(tmp_path, "") == (pytest.ExitCode.NO_TESTS_COLLECTED, [])


def test_many_failures_are_no_races(tmp_path: Path) -> None:
    many = (
        f"import pytest\n@pytest.mark.parametrize('n', range({MOST + 1}))\ndef test_n(n): assert 0"
    )
    assert run(tmp_path, many) == (1, [])
