"""`python -m lab`: its commands, which are for developers only."""

import json

import pytest

from bot.cli.app import run
from lab.__main__ import MEASUREMENTS
from lab.__main__ import lab as make_lab
from tests.bot.cli.commands import Outcome


class Lab:
    """Call it with a command's words."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *words: object) -> Outcome:
        code = run(make_lab(), [str(word) for word in words])
        captured = self._capsys.readouterr()
        return Outcome(code, captured.out, captured.err)


@pytest.fixture
def lab(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Lab:
    monkeypatch.setenv("COLUMNS", "140")
    return Lab(capsys)


def test_without_a_name_all_measurements_are_listed(lab: Lab) -> None:
    listed = lab().out
    assert all(f" {command.__name__} " in listed for command in MEASUREMENTS)


def test_noise_of_reviews_is_measured_for_each_number_of_playouts(lab: Lab) -> None:
    words = ["review", "--game", "bluestone", "--board", "pent-3", "--turns", "3"]
    quick = [*words, "--nodes", "100", "--nodes", "200", "--longer", "2"]
    found = json.loads(lab(*quick, "--json").out)
    assert [each["playouts"] for each in found] == [100, 200]
    for each in found:
        assert 0 < each["turns"] <= 3  # turns in which a longer search was wrong are left out
        assert 0 <= each["loss_p90"] <= each["loss_p98"] <= each["loss_highest"] <= 1
        assert each["blunders"] <= each["mistakes"] <= 1
    assert "pent-3" in lab(*quick).out
