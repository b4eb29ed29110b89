"""`bluestone train`: the command, its lines and its plot."""

import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from rich.console import Console

from bot.cli.train_plot import Candidate, candidates_of, elo_chart
from bot.cli.train_progress import line_of, moving_line
from engine.training.journal import Began, Entry, GamesPlayed, Matched, Refused, Trained
from tests.bot.cli.commands import Bluestone

LOG: list[Entry] = [
    Began("bluestone", "pent-4", 1, 4),
    GamesPlayed(1, 100, 2286, None),
    Trained(1, 500, 2.56, 0.22, 0.197, 0.169, 0.0007, 0.01),
    Matched(1, 20, 0, 10, 115.0, accepted=True),
    GamesPlayed(2, 160, 3889, 1),
    Refused(2, "no number"),
    GamesPlayed(3, 256, 5000, 1),
    Matched(3, 14, 2, 14, 115.0, accepted=False),
]
LEARNT = (
    "generation 1: 500 steps, policy 2.56, first choice 22%, Brier 0.197 (search 0.169);"
    " as the search hears it within 0.0007"
)


def test_without_torch_it_says_what_to_install(
    bluestone: Bluestone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    outcome = bluestone("train", "--board", "pent-4", "--out", tmp_path / "run")
    assert outcome.code == 78
    assert "pip install 'bluestone[training]'" in outcome.err
    assert not (tmp_path / "run").exists()


def test_an_unknown_board_is_refused(bluestone: Bluestone, tmp_path: Path) -> None:
    outcome = bluestone("train", "--board", "moon-4", "--out", tmp_path / "run")
    assert outcome.code == 78
    assert "moon-4" in outcome.err


def test_the_log_in_words() -> None:
    assert [line_of(entry) for entry in LOG[1:6]] == [
        "generation 1: 100 games without a network, 2,286 positions",
        LEARNT,
        "generation 1: 20 won, 0 drawn, 10 lost: accepted, +115 Elo",
        "generation 2: 160 games by the network of generation 1, 3,889 positions",
        "generation 2: refused: no number",
    ]


def test_without_a_terminal_the_moving_line_is_printed_now_and_then(
    capsys: pytest.CaptureFixture[str],
) -> None:
    times = iter(range(0, 1000, 10))
    with moving_line(Console(force_terminal=False), lambda: next(times)) as show:
        for number in range(9):
            show(f"step {number}")
    shown = capsys.readouterr().out.split("\n")
    assert 2 <= len(shown) - 1 <= 3


def test_candidates_stand_where_their_games_were_played() -> None:
    assert candidates_of(LOG) == [
        Candidate(100, 115.0, accepted=True),
        Candidate(516, 115.0, accepted=False),
    ]


@pytest.mark.parametrize(
    "candidates",
    [
        [],
        [Candidate(100, -645.1, accepted=False)],
        [Candidate(1000 * n, 60.0 * n, accepted=n % 3 > 0) for n in range(1, 40)],
    ],
)
def test_the_plot_is_a_picture_with_a_dot_for_each(candidates: list[Candidate]) -> None:
    picture = ET.fromstring(elo_chart(candidates, "Elo <of> pent-4"))
    dots = list(picture.iter("{http://www.w3.org/2000/svg}circle"))
    assert len(dots) == len(candidates) + 1
    for dot in dots:
        assert 0 <= float(dot.get("cx", "-1")) <= 720
        assert 0 <= float(dot.get("cy", "-1")) <= 340
    assert picture.findtext("{http://www.w3.org/2000/svg}title") == "Elo <of> pent-4"
