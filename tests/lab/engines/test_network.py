"""What is measured of a network, with weights by chance on a small board."""

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import engine
from bot.errors import ConfigurationError
from engine.neural.parameters import save_parameters
from engine.training.assessment import Ranks
from engine.training.timing import Effort
from lab.engines.mixed_games import Contestant
from lab.engines.network import (
    PLAYOUTS,
    NetworkPlan,
    NetworkReport,
    figure,
    foresight_chart,
    measure,
    stone_ranks,
)
from tests.engine.neural.reference import random_parameters

pytestmark = pytest.mark.xdist_group("network")  # one worker measures for all tests

SVG = "{http://www.w3.org/2000/svg}"
GAME = engine.game("bluestone", board="pent-3")


def ignore(_: str) -> None:
    """Progress is for people."""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> NetworkReport:
    file = tmp_path_factory.mktemp("weights") / "chance.npz"
    save_parameters(file, random_parameters(GAME, layers=2, seed=1))
    plan = NetworkPlan(
        GAME,
        weights=file,
        positions=24,
        ranked=6,
        long=200,
        rounds=2,
        effort=Effort(repeats=1, steps=20),
        contestants=(Contestant(30), Contestant(30, {"Knowledge": False})),
    )
    return measure(plan, ignore)


def test_every_time_has_its_place_and_ratios_are_of_the_same_rounds(report: NetworkReport) -> None:
    assert report.weights == "chance.npz"
    assert set(report.microseconds) == {"evaluation", "playout", "step_with", "step_without"}
    assert len(report.ratios) == 2
    for each in (*report.microseconds.values(), *report.ratios.values()):
        assert 0 <= each.least <= each.median


def test_scores_are_compared_on_the_same_positions(report: NetworkReport) -> None:
    alone, *searches = report.foresight
    assert (alone.source, alone.playouts) == ("network alone", None)
    assert [each.playouts for each in searches] == [*PLAYOUTS, *PLAYOUTS]
    assert {each.mean.count for each in report.foresight} == {24}
    without = {each.playouts: each for each in searches[len(PLAYOUTS) :]}
    assert without[1].best is None, "after one playout no turn has been seen to its end"
    assert without[1_200].mean.brier < without[1].mean.brier
    assert without[1_200].mean.brier < alone.mean.brier, "the network knows nothing"
    assert alone.gain is not None
    assert alone.gain.value == pytest.approx(without[1_200].mean.brier - alone.mean.brier)
    for each in searches[: len(PLAYOUTS)]:
        assert each.gain is not None
        other = without[each.playouts]
        assert each.gain.value == pytest.approx(other.mean.brier - each.mean.brier)
    assert {each.gain for each in without.values()} == {None}


def test_ranks_are_reported_for_both_judges_and_both_guides(report: NetworkReport) -> None:
    assert [(each.judge, each.guide) for each in report.ranks] == [
        ("search with network", "policy"),
        ("search with network", "AMAF"),
        ("search without", "policy"),
        ("search without", "AMAF"),
    ]
    for each in report.ranks:
        assert 1 <= each.mean <= each.choices
        assert 0 <= each.first <= each.first_five <= 1


def test_the_chart_shows_both_searches_and_the_network(report: NetworkReport) -> None:
    root = ET.fromstring(foresight_chart(report))
    dots = [each for each in root.iter(f"{SVG}circle") if each.attrib["r"] == "4"]
    assert len(dots) == 2 * len(PLAYOUTS)
    assert all(40 <= float(dot.attrib["cy"]) <= 340 for dot in dots)
    texts = {text.text for text in root.iter(f"{SVG}text")}
    assert {"1", "30", "300", "1,200", "search with network", "search without"} <= texts


def test_figures_of_rounds_and_of_ranks() -> None:
    assert (figure([3.0, 1.0, 2.0]).least, figure([3.0, 1.0, 2.0]).median) == (1, 2)
    ranks = [Ranks(place, 1, 30) for place in (1, 5, 9, 1)]
    found = stone_ranks("search", "policy", [each.policy for each in ranks], ranks)
    assert (found.median, found.mean, found.first, found.first_five) == (3, 4, 0.5, 0.75)


def test_a_board_without_weights_asks_for_them() -> None:
    with pytest.raises(ConfigurationError, match=r"bluestone on pent-3: .* --weights"):
        measure(NetworkPlan(GAME), ignore)


def test_invalid_weights_are_named(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("no weights")
    with pytest.raises(
        ConfigurationError, match=r"--weights .*notes\.txt: it is not a file of weights"
    ):
        measure(NetworkPlan(GAME, weights=file), ignore)
