"""`python -m lab`: its commands, which are for developers only."""

import json
import re
from pathlib import Path

import pytest

import engine
from bot.cli.app import run
from engine.neural.parameters import save_parameters
from lab.__main__ import MEASUREMENTS
from lab.__main__ import lab as make_lab
from tests.bot.cli.commands import Outcome
from tests.docs.pages import LINKED
from tests.engine.neural.reference import random_parameters


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


def test_every_measurement_that_a_page_names_exists() -> None:
    text = "".join(
        page.read_text(encoding="utf-8") for page in LINKED if page.name != "CHANGELOG.md"
    )
    named = set(re.findall(r'make lab ARGS="?(\w+)', text))
    assert len(named) > 10
    assert named - {command.__name__ for command in MEASUREMENTS} == set()


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


def test_calibration_is_printed_and_drawn(lab: Lab, tmp_path: Path) -> None:
    plot = tmp_path / "calibration.svg"
    words = ["calibration", "--board", "pent-3", "--positions", "4", "--nodes", "20"]
    (found,) = json.loads(lab(*words, "--plot", plot, "--json").out)
    assert (found["engine"], found["playouts"]) == ("without network", 20)
    assert sum(each["count"] for each in found["bins"]) == found["score"]["count"] == 4
    assert "stated after 20 playouts" in plot.read_text()
    lines = lab(*words).out.splitlines()
    assert "4 positions: Brier score" in lines[0]
    assert len(lines) == 2 + len(found["bins"])


def test_a_network_is_measured(lab: Lab, tmp_path: Path) -> None:
    weights, plot = tmp_path / "weights.npz", tmp_path / "scores.svg"
    game = engine.game("bluestone", board="pent-3")
    save_parameters(weights, random_parameters(game, layers=2, seed=1))
    words = ["network", "--board", "pent-3", "--weights", weights, "--positions", "4"]
    quick = [*words, "--ranked", "2", "--long", "50", "--rounds", "1"]
    found = json.loads(lab(*quick, "--plot", plot, "--json").out)
    assert (found["board"], found["weights"]) == ("pent-3", "weights.npz")
    assert "network alone" in plot.read_text()
    told = lab(*quick).out
    assert all(each["source"] in told for each in found["foresight"])
    assert "evaluation to playout" in told


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["clocks", "--games", "2"], "managed plans against even division, bluestone on pent-3"),
        (["pondering", "--games", "1"], "bluestone on pent-3, 20 playouts per turn: "),
    ],
)
def test_uses_of_time_are_measured(lab: Lab, words: list[str], said: str) -> None:
    quick = ["--board", "pent-3", "--nodes", "20"]
    assert lab(*words, *quick).out.startswith(said)
    found = json.loads(lab(*words, *quick, "--json").out)
    assert (found["board"], found["nodes"]) == ("pent-3", 20)


def test_the_ladder_of_levels_is_printed(lab: Lab) -> None:
    words = ["levels", "--board", "pent-3", "--games", "2"]
    quick = [*words, "--lowest", "2", "--highest", "3"]
    found = json.loads(lab(*quick, "--json").out)
    assert [(each["level"], each["opponent"]) for each in found] == [(2, "level 1"), (3, "level 2")]
    outcome = lab(*quick)
    assert len(outcome.out.splitlines()) == 3
    assert "level 3 against level 2" in outcome.err
    assert lab(*words, "--lowest", "4", "--highest", "3").code == 78
