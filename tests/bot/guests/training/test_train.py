"""`bluestone train`: the command, its lines and its plot."""

import sys
from contextlib import nullcontext
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from rich.console import Console

import engine
from bot.errors import ConfigurationError, HostError
from bot.guests.training.progress import (
    MatchedNetwork,
    candidates_of,
    elo_chart,
    line_of,
    moving_line,
)
from bot.guests.training.train import Training, beginning, chosen_boards, go_on, identity_of
from engine.training.journal import Began, Entry, GamesPlayed, Matched, Refused, Trained
from engine.training.processes import Crew
from engine.training.settings import Identity, TrainingPlan
from tests.bot.cli.commands import Bluestone
from tests.engine.training.fakes import AtOnce, FakeTrainer

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
    " the search agrees within 0.0007"
)


def test_a_lesson_without_held_out_games_claims_no_figures() -> None:
    learnt = line_of(Trained(1, 500, 0.0, 0.0, 0.0, 0.0, 0.0009, 0.01))
    assert learnt.startswith("generation 1: 500 steps, no held-out games;")


def test_without_torch_the_error_names_the_package_to_install(
    bluestone: Bluestone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    outcome = bluestone("train", "--board", "pent-4", "--out", tmp_path / "run")
    assert outcome.code == 78
    assert "pip install -c constraints.txt -e '.[training]'" in outcome.err
    assert not (tmp_path / "run").exists()


def test_an_unknown_board_is_refused(bluestone: Bluestone, tmp_path: Path) -> None:
    outcome = bluestone("train", "--board", "moon-4", "--out", tmp_path / "run")
    assert outcome.code == 78
    assert "moon-4" in outcome.err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--board", "pent-4,pent-3,pent-4"), "a board is named twice"),
        (("--board", "pent-4,"), "unknown board ''"),
        (("--board", "pent-4", "--rules", "house"), "unknown rule set 'house'"),
        (("--game", "hexo", "--board", "plane"), "a network needs a board with an edge"),
    ],
)
def test_unknown_values_are_refused(
    bluestone: Bluestone, tmp_path: Path, words: tuple[str, ...], why: str
) -> None:
    outcome = bluestone("train", *words, "--out", tmp_path / "run")
    assert outcome.code == 78
    assert why in outcome.err
    assert not (tmp_path / "run").exists()


def test_start_weights_are_checked_before_anything_is_created(tmp_path: Path) -> None:
    game, out, file = engine.game("bluestone", "pent-3"), tmp_path / "run", tmp_path / "some.npz"
    with pytest.raises(ConfigurationError, match=r"--from .*some\.npz: No such file"):
        beginning(out, game, str(file))
    file.write_bytes(b"no weights")
    with pytest.raises(ConfigurationError, match=r"--from .*some\.npz: it is not a file"):
        beginning(out, game, str(file))
    with pytest.raises(ConfigurationError, match="the engine has no network"):
        beginning(out, game, "shipped")
    assert not out.exists()


def test_a_damaged_log_is_named(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_bytes(b"\xff\xfe\n")
    with pytest.raises(HostError, match=r"log\.jsonl: it is not text"):
        beginning(tmp_path, engine.game("bluestone", "pent-3"), "shipped")


def test_layers_must_match_an_existing_network(tmp_path: Path) -> None:
    boards = chosen_boards("bluestone", "pent-6, pent-4", "abstractplay")
    start = beginning(tmp_path, boards[0], "shipped")
    found = identity_of(boards, 7, None, start)
    assert found == Identity("bluestone", "pent-6,pent-4", 7, 4, "abstractplay", "shipped")
    assert identity_of(boards, 7, 4, start) == found
    with pytest.raises(ConfigurationError, match="--layers 6: the network of --from has 4"):
        identity_of(boards, 7, 6, start)
    assert identity_of(boards, 7, None, None).layers == 4


def training(out: Path, *, start: str | None) -> Training:
    """It is over as soon as it has begun."""
    boards = chosen_boards("bluestone", "pent-6", None)
    begin = None if start is None else beginning(out, boards[0], start)
    crew = nullcontext(Crew(AtOnce(), 1))
    return Training(
        identity_of(boards, 1, None, begin), begin, TrainingPlan(), FakeTrainer(), crew, 0.0
    )


def test_a_training_from_a_network_continues_without_the_original_file(tmp_path: Path) -> None:
    file, out = tmp_path / "some.npz", tmp_path / "run"
    content = beginning(out, engine.game("bluestone", "pent-6"), "shipped").content
    file.write_bytes(content)
    began = Began("bluestone", "pent-6", 1, 4, start=str(file))
    assert go_on(training(out, start=str(file)), out) == (False, [began])
    assert (out / "nets" / "net-0000.npz").read_bytes() == content
    assert (out / "best.npz").read_bytes() == content
    file.unlink()
    assert go_on(training(out, start=str(file)), out) == (False, [began])
    for other in (None, "shipped"):
        with pytest.raises(HostError, match="it is the log of another training"):
            go_on(training(out, start=other), out)


def test_a_folder_that_lost_its_log_is_not_restarted(tmp_path: Path) -> None:
    go_on(training(tmp_path, start=None), tmp_path)
    (tmp_path / "games" / "games-0001-00000.npz").touch()
    (tmp_path / "log.jsonl").write_text('{"event": "beg')
    with pytest.raises(HostError, match=r"log\.jsonl: it has no entry"):
        go_on(training(tmp_path, start=None), tmp_path)


def test_the_log_in_words() -> None:
    assert [line_of(entry) for entry in LOG[1:6]] == [
        "generation 1: 100 games without a network, 2,286 positions",
        LEARNT,
        "generation 1: 20 won, 0 drawn, 10 lost: accepted, +115 Elo",
        "generation 2: 160 games by the network of generation 1, 3,889 positions",
        "generation 2: refused: no number",
    ]
    begun = Began("bluestone", "pent-4", 1, 4, start="shipped")
    assert line_of(begun) == "training for bluestone on pent-4 with the weights of shipped"
    played = line_of(GamesPlayed(1, 10, 9, 0))
    assert (
        played
        == "generation 1: 10 games by the network that the training started with, 9 positions"
    )
    scores = {"pent-4": [6, 0, 4], "pent-3": [7, 1, 2]}
    both = line_of(Matched(1, 13, 1, 6, 115.0, accepted=True, boards=scores))
    assert both.endswith("accepted, +115 Elo; pent-4 6-0-4, pent-3 7-1-2")


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
        MatchedNetwork(100, 115.0, accepted=True),
        MatchedNetwork(516, 115.0, accepted=False),
    ]


@pytest.mark.parametrize(
    "candidates",
    [
        [],
        [MatchedNetwork(100, -645.1, accepted=False)],
        [MatchedNetwork(1000 * n, 60.0 * n, accepted=n % 3 > 0) for n in range(1, 40)],
    ],
)
def test_the_plot_is_a_picture_with_a_dot_for_each(candidates: list[MatchedNetwork]) -> None:
    picture = ET.fromstring(elo_chart(candidates, "Elo <of> pent-4"))
    dots = list(picture.iter("{http://www.w3.org/2000/svg}circle"))
    assert len(dots) == len(candidates) + 1
    for dot in dots:
        assert 0 <= float(dot.get("cx", "-1")) <= 720
        assert 0 <= float(dot.get("cy", "-1")) <= 340
    assert picture.findtext("{http://www.w3.org/2000/svg}title") == "Elo <of> pent-4"
