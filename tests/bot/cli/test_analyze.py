"""`bluestone analyze`: positions, recorded games, and what cannot be analysed."""

import json
import shlex
import sys
from pathlib import Path

import pytest

import engine
from bot.records.jsonl import append_record
from tests.bot.cli.commands import Bluestone
from tests.bot.records.samples import record_of
from tests.fakes import engine as fake

FAKE = shlex.join([sys.executable, str(Path(fake.__file__))])
QUICK = ["--nodes", "300", "--option", "Seed=1"]


@pytest.fixture
def game_file(tmp_path: Path) -> Path:
    position = engine.game("bluestone", board="pent-3").start()
    for turn in ("0-0", "2-0,2-5", "2-2,1-3", "pass", "pass"):
        position = position.play(turn)
    path = tmp_path / "games.jsonl"
    append_record(path, record_of(position, id="short"))
    return path


def test_a_position_is_given_by_its_turns(bluestone: Bluestone) -> None:
    outcome = bluestone("analyze", "--board", "pent-3", "--turns", "0-0 2-0,2-5", *QUICK)
    assert outcome.code == 0
    assert "◎2-5" in outcome.out
    assert "player 1 wins" in outcome.out


def test_figures_come_as_json_with_as_many_lines_as_asked(bluestone: Bluestone) -> None:
    words = ["analyze", "--board", "pent-3", "--turns", "0-0", "--lines", "2", "--json", *QUICK]
    found = json.loads(bluestone(*words).out)
    assert (found["to_play"], found["turns"]) == (2, ["0-0"])
    assert len(found["lines"]) == 2
    assert found["lines"][0]["value"] == found["value"]


@pytest.mark.parametrize(
    ("game", "turns", "seen"),
    [("blooms", "1a1 1d4,2d5", "▤"), ("stargazers", "i2 k2,m2", "✶")],
)
def test_positions_of_the_other_games(
    bluestone: Bluestone, game: str, turns: str, seen: str
) -> None:
    words = ["analyze", "--game", game, "--turns", turns, *QUICK]
    found = json.loads(bluestone(*words, "--json").out)
    assert (found["game"], found["turns"]) == (game, turns.split())
    assert found["lines"]
    assert seen in bluestone(*words).out


def test_a_position_of_a_recorded_game(bluestone: Bluestone, game_file: Path) -> None:
    words = ["analyze", "short", "--file", game_file, "--ply", "2", "--json", *QUICK]
    assert json.loads(bluestone(*words).out)["turns"] == ["0-0", "2-0,2-5"]


def test_a_whole_game_is_reviewed_turn_by_turn(bluestone: Bluestone, game_file: Path) -> None:
    words = ["analyze", "--file", game_file, *QUICK]
    found = json.loads(bluestone(*words, "--json").out)
    played = ["0-0", "2-0,2-5", "2-2,1-3", "pass", "pass"]
    assert [turn["turn"] for turn in found["turns"]] == played
    assert all(0 <= turn["loss"] <= 1 for turn in found["turns"])
    assert [player["turns"] for player in found["summary"]["players"]] == [3, 2]
    seen = bluestone(*words)
    assert "2-2,1-3" in seen.out
    assert "Granite" in seen.out
    assert seen.err == "", "progress is for terminals"


def test_a_program_that_would_have_played_the_game_finds_no_fault_in_it(
    bluestone: Bluestone, game_file: Path
) -> None:
    """It says 62.5 % for whoever is to move: no turn can be told by two successive values."""
    engine = ["--engine", f"{FAKE} --turns 0-0 2-0,2-5 2-2,1-3", "--time", "1"]
    words = ["analyze", "--file", game_file, *engine]
    found = json.loads(bluestone(*words, "--json").out)
    assert [turn["loss"] for turn in found["turns"]] == [0, 0, 0, 0, 0]
    assert all(turn["agrees"] and not turn["mark"] for turn in found["turns"])
    assert [player["blunders"] for player in found["summary"]["players"]] == [[], []]
    assert "the same" in bluestone(*words).out


def test_a_turn_that_throws_the_game_away_is_marked(bluestone: Bluestone, tmp_path: Path) -> None:
    position = engine.game("bluestone", board="pent-3").start()
    for turn in ("2-0", "pass", "pass"):
        position = position.play(turn)
    path = tmp_path / "lost.jsonl"
    append_record(path, record_of(position, id="lost"))
    words = ["analyze", "--file", path, "--nodes", "1000", "--option", "Seed=1"]
    found = json.loads(bluestone(*words, "--json").out)
    assert found["turns"][1]["mark"] == "??"
    assert found["summary"]["players"][1]["blunders"] == [2]
    assert "??" in bluestone(*words).out.splitlines()[2]


def test_a_program_can_be_asked(bluestone: Bluestone) -> None:
    command = f"{FAKE} --turns 0-0"
    found = json.loads(bluestone("analyze", "--engine", command, "--time", "1", "--json").out)
    assert found["lines"][0]["turn"] == "0-0"


def test_a_program_with_multipv_shows_as_many_lines_as_asked_and_as_it_has(
    bluestone: Bluestone,
) -> None:
    offer = "'option name MultiPV type spin default 1 min 1 max 3'"
    command = f"{FAKE} --turns 0-0 --option-line {offer}"
    words = ["analyze", "--engine", command, "--time", "1", "--json"]
    for asked, shown in ((1, 1), (2, 2), (5, 3)):
        lines = json.loads(bluestone(*words, "--lines", str(asked)).out)["lines"]
        turns = [line["turn"] for line in lines]
        assert turns == ["0-0", "5-0,5-2", "5-0,5-3"][:shown]
        assert [line["visits"] for line in lines] == [100, 50, 33][:shown]


def test_a_program_without_multipv_shows_its_best_line(bluestone: Bluestone) -> None:
    words = ["analyze", "--engine", f"{FAKE} --turns 0-0", "--time", "1", "--lines", "3", "--json"]
    assert [line["turn"] for line in json.loads(bluestone(*words).out)["lines"]] == ["0-0"]


def test_the_best_turns_before_each_turn_of_a_game(bluestone: Bluestone, game_file: Path) -> None:
    words = ["analyze", "--file", game_file, *QUICK]
    found = json.loads(bluestone(*words, "--lines", "2", "--json").out)
    for turn in found["turns"]:
        assert 1 <= len(turn["lines"]) <= 2
        assert all(line["pv"][0] == line["turn"] for line in turn["lines"])
        assert all(0 <= line["value"] <= 1 for line in turn["lines"])
    assert len(found["turns"][1]["lines"]) == 2
    plain = json.loads(bluestone(*words, "--json").out)
    assert all(turn["lines"] == [] for turn in plain["turns"])
    assert "best turns" in bluestone(*words, "--lines", "2").out
    assert "best turns" not in bluestone(*words).out


def test_a_finished_game_has_its_result(bluestone: Bluestone) -> None:
    outcome = bluestone("analyze", "--board", "pent-3", "--turns", "2-0 pass pass")
    assert "the game is over: player 1 won" in outcome.out


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--turns", "0-0 0-0,1-1"], 78, "--turns: turn 2: illegal turn '0-0,1-1'"),
        (["--game", "blooms", "--turns", "1a1 1b1,1c1"], 78, "(same-colour)"),
        (["--game", "stargazers", "--turns", "l1"], 78, "(star)"),
        (["--game", "stargazers", "--board", "pent-6"], 78, "unknown board 'pent-6'"),
        (["--board", "pent-99"], 78, "unknown board 'pent-99'; known: pent-N"),
        (["--rules", "mine"], 78, "unknown rule set 'mine'; known: official, abstractplay"),
        (["--ply", "3"], 78, "--ply: needs a recorded game"),
        (["x", "--turns", "0-0"], 78, "give either a recorded game or turns"),
        (["--engine", "/no/such/engine"], 70, "command '/no/such/engine' does not start"),
        (["--engine", f"{FAKE} --mode dies"], 70, "cannot go on"),
        (["--engine", "'"], 78, "--engine"),
        (["--option", "Seed"], 78, "--option 'Seed': write it as NAME=VALUE"),
        (["--option", "Level=99"], 78, "--option Level=99"),
        (["--time", "0"], 2, "--time"),
    ],
)
def test_an_impossible_request_is_one_message(
    bluestone: Bluestone, words: list[str], code: int, message: str
) -> None:
    outcome = bluestone("analyze", *words)
    assert (outcome.code, outcome.out) == (code, "")
    assert message in outcome.err
