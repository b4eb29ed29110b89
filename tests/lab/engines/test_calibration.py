"""Calibration, measured on a small board, and drawn."""

from xml.etree import ElementTree as ET

import engine
from lab.engines.calibration import WITHOUT, calibration, measure, reliability_diagram
from lab.engines.forecasts import Forecast
from lab.engines.mixed_games import Contestant

SVG = "{http://www.w3.org/2000/svg}"
GAME = engine.game("bluestone", board="pent-3")
SMALL = (Contestant(60), Contestant(30, {"Knowledge": False}), Contestant(60, {"Level": 4}))


def test_a_board_without_a_network_is_measured_without_one() -> None:
    told: list[str] = []
    (found,) = measure(GAME, 100, 60, 1, told.append, SMALL)
    assert (found.engine, found.board, found.playouts) == (WITHOUT, "pent-3", 60)
    assert sum(each.count for each in found.bins) == found.score.count == 100
    assert found.score.brier < 0.25, "it knows more than nobody"
    assert 0 < found.expected_error < 0.5
    assert told[-1] == f"{WITHOUT}: 100 of 100"


def test_dots_lie_where_results_are_as_stated_on_the_diagonal() -> None:
    honest = [Forecast(0.75, float(number < 3), number) for number in range(4)]
    boastful = [Forecast(0.95, float(number < 1), number) for number in range(4)]
    found = [calibration(name, GAME, 60, each) for name, each in (("a", honest), ("b", boastful))]
    root = ET.fromstring(reliability_diagram(found))
    dots = {
        each.attrib["class"]: each for each in root.iter(f"{SVG}circle") if each.attrib["r"] == "4"
    }
    assert height(dots["dot-0"]) == width(dots["dot-0"]) == 0.75
    assert width(dots["dot-1"]) == 0.95
    assert height(dots["dot-1"]) == 0.25
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert "a: Brier 0.188, calibration error 0.000" in texts


def width(dot: ET.Element) -> float:
    """The share of the diagram's width at which a dot lies."""
    return (float(dot.attrib["cx"]) - 64) / 400


def height(dot: ET.Element) -> float:
    """The share of its height."""
    return 1 - (float(dot.attrib["cy"]) - 40) / 400
