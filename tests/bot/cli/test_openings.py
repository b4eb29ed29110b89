"""`bluestone tournament openings`."""

from pathlib import Path

import pytest

import engine
from bot.cli.openings import openings
from bot.matches.openings import read_suite


def test_a_suite_is_written_to_a_file(tmp_path: Path) -> None:
    suite = tmp_path / "suite.txt"
    code = openings(board="pent-4", plies=2, count=3, nodes=50, within=0.4, out=suite)
    assert code == 0
    assert len(read_suite(suite, engine.game("bluestone", "pent-4"))) == 3


def test_too_few_are_an_exit_status_and_a_note(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suite = tmp_path / "suite.txt"
    code = openings(board="pent-3", plies=1, count=1000, nodes=10, within=0.5, out=suite)
    assert code == 1
    assert "different openings" in capsys.readouterr().err
