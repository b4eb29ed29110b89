"""`bluestone puzzles` on one recorded game with one puzzle."""

import json
from pathlib import Path

import engine
from bot.puzzles.library import read_file
from bot.records.jsonl import append_record
from tests.bot.cli.commands import Bluestone
from tests.bot.puzzles.samples import ENDGAME, ENDGAME_SOLUTION
from tests.bot.records.samples import record_of


def recorded(folder: Path) -> Path:
    path = folder / "games.jsonl"
    position = engine.game("bluestone", "pent-4").replay((*ENDGAME, ENDGAME_SOLUTION))
    append_record(path, record_of(position, id="one"))
    return path


def test_make_writes_puzzles_and_continues_from_its_log(
    bluestone: Bluestone, tmp_path: Path
) -> None:
    output = tmp_path / "bluestone.json"
    words = ("puzzles", "make", recorded(tmp_path), "--game", "bluestone", "--output", output)
    made = bluestone(*words, "--playouts", "300")
    assert made.code == 0
    assert "1 games, 14 positions," in made.out
    (puzzle,) = read_file(output).puzzles
    assert (puzzle.solution, puzzle.source) == (ENDGAME_SOLUTION, "games/one")
    again = json.loads(bluestone(*words, "--playouts", "300", "--json").out)
    assert (again["games"], again["puzzles"], again["reasons"]["kept"]) == (1, 1, 1)
    verified = bluestone("puzzles", "verify", output, "--playouts", "300")
    assert (verified.code, verified.out) == (0, "0 of 1 puzzles fail at 300 playouts\n")
    figures = json.loads(bluestone("puzzles", "verify", output, "--playouts", "99", "--json").out)
    assert [each["failure"] for each in figures] == [None]


def test_make_needs_a_recorded_game(bluestone: Bluestone, tmp_path: Path) -> None:
    words = ("puzzles", "make", recorded(tmp_path), "--output", tmp_path / "out.json")
    refused = bluestone(*words, "--game", "blooms")
    assert refused.code == 78
    assert "there is no recorded game of blooms" in refused.err
