"""`bluestone bench`: which games are measured, and how a match is told."""

import json
from pathlib import Path

import pytest

from bot.records.jsonl import read_records
from bot.records.model import GameRecord
from tests.bot.cli.commands import Bluestone

QUICK = ["--seconds", "0.01", "--rounds", "1"]


def test_all_games_and_boards_are_measured_and_drawn(bluestone: Bluestone, tmp_path: Path) -> None:
    plot = tmp_path / "speed.svg"
    words = ["bench", "playouts", "--seconds", "0.001", "--rounds", "1", "--plot", plot, "--json"]
    found = json.loads(bluestone(*words).out)
    measured = {(speed["game"], speed["board"]) for speed in found}
    assert {
        ("bluestone", "pent-6"),
        ("blooms", "hexhex-10"),
        ("stargazers", "stars-111"),
    } < measured
    drawn = plot.read_text()
    assert all(f"{game} {board}<" in drawn for game, board in measured)


def test_one_game_or_some_boards(bluestone: Bluestone) -> None:
    table = bluestone("bench", "playouts", "--game", "stargazers", *QUICK).out
    assert [line.split()[1] for line in table.splitlines()[1:]] == [
        *("stars-39", "stars-63", "stars-111")
    ]
    table = bluestone("bench", "playouts", "pent-3", "pent-4", *QUICK).out
    assert [line.split()[:2] for line in table.splitlines()[1:]] == [
        ["bluestone", "pent-3"],
        ["bluestone", "pent-4"],
    ]


def test_figures_are_shown_although_the_plot_cannot_be_written(
    bluestone: Bluestone, tmp_path: Path
) -> None:
    plot = tmp_path / "gone" / "speed.svg"
    outcome = bluestone("bench", "playouts", "pent-3", "--plot", plot, *QUICK)
    assert outcome.code == 71
    assert "pent-3" in outcome.out
    assert f"{plot}: cannot be written" in outcome.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["playouts", "--game", "go"], "unknown game 'go'"),
        (["playouts", "pent-6", "--game", "blooms"], "unknown board 'pent-6'"),
        (
            ["strength", "--opponent", "random", "--game", "blooms", "--set", "captures=0"],
            "captures",
        ),
    ],
)
def test_unknown_values_are_refused(bluestone: Bluestone, words: list[str], message: str) -> None:
    outcome = bluestone("bench", *words)
    assert outcome.code == 78
    assert message in outcome.err


def test_a_match_of_another_game_names_the_options_of_both_sides(
    bluestone: Bluestone, tmp_path: Path
) -> None:
    path = tmp_path / "match.jsonl"
    outcome = bluestone(
        *("bench", "strength", "--opponent", "search", "--opponent-option", "Knowledge=false"),
        *("--game", "blooms", "--board", "hexhex-4", "--set", "captures=2", "--rules", "official"),
        *("--games", "2", "--nodes", "20", "--save", path),
    )
    assert outcome.code == 0
    assert "search against search (Knowledge=false), blooms on hexhex-4, nodes 20" in outcome.out
    for record in read_records(path):
        assert isinstance(record, GameRecord)
        assert (record.game, record.options) == ("blooms", {"captures": "2"})


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["arena", "--command", "python 'arena"], "--command: No closing quotation"),
        (["arena", "--command", " "], "--command: is empty"),
    ],
)
def test_another_arena_is_named_as_in_a_shell(
    bluestone: Bluestone, words: list[str], message: str
) -> None:
    outcome = bluestone("bench", *words)
    assert outcome.code == 78
    assert message in outcome.err


def test_a_player_that_ponders_is_called_so(bluestone: Bluestone) -> None:
    outcome = bluestone(
        *("bench", "strength", "--opponent", "random", "--ponder", "--board", "pent-3"),
        *("--games", "2", "--nodes", "20"),
    )
    assert outcome.code == 0
    assert outcome.out.startswith("search (pondering) against random, bluestone on pent-3")
    assert "2 won, 0 drawn, 0 lost of 2" in outcome.out
