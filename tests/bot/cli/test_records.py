"""`bluestone records` on files and databases as people have them."""

import json
import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import jsonschema
import pytest

import engine
from bot.records.jsonl import append_record, read_records
from bot.records.model import NOT_DECIDED, GameRecord, RecordedResult, early_end_words
from tests.bot.cli.commands import Bluestone
from tests.bot.guests.abstract_play.test_game_record import SCHEMA
from tests.bot.records.samples import finished_position, record_of
from tests.bot.records.sgf_reader import read_sgf
from tests.fakes.early_end import decided_game

RECORDS = [record_of(finished_position("pent-4", seed), id=f"game-{seed}") for seed in (1, 2)]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with two games and a damaged line between them."""
    path = tmp_path / "records.jsonl"
    append_record(path, RECORDS[0])
    with path.open("a") as file:
        file.write('{"id": "cut sho')
    append_record(path, RECORDS[1])
    return tmp_path


def test_list_shows_games_and_names_the_damaged_line(bluestone: Bluestone, data: Path) -> None:
    outcome = bluestone("records", "list", "--data", data)
    assert outcome.code == 1
    assert [line.split()[0] for line in outcome.out.splitlines()] == ["id", "game-1", "game-2"]
    assert "records.jsonl: line 2 is skipped: not JSON" in outcome.err


def test_list_gives_figures_as_json(bluestone: Bluestone, data: Path) -> None:
    listed = json.loads(bluestone("records", "list", "--data", data, "--json").out)
    assert [game["id"] for game in listed] == ["game-1", "game-2"]
    assert listed[0]["turns"] == len(RECORDS[0].turns)
    assert listed[0]["time_control"] == "300+5"
    assert listed[0]["result"]["reason"] == "played_out"


def test_list_shows_the_newest_games(bluestone: Bluestone, data: Path) -> None:
    listed = json.loads(bluestone("records", "list", "--data", data, "--last", "1", "--json").out)
    assert [game["id"] for game in listed] == ["game-2"]


def test_a_turn_that_costs_own_stones_is_no_capture(bluestone: Bluestone, tmp_path: Path) -> None:
    turns = ["a1", "a3", "e5", "b1", "e4", "b2", "a2", "d5"]
    game = engine.game("freego", "square-5")
    append_record(tmp_path / "records.jsonl", record_of(game.replay(turns), id="suicide"))
    shown = bluestone("records", "show", "suicide", "--data", tmp_path).out
    assert re.search(r"7 +1 +a2 .* loses a2 a1$", shown, re.MULTILINE)


def test_a_byte_order_mark_costs_no_record(bluestone: Bluestone, tmp_path: Path) -> None:
    lines = "".join(f"{record.model_dump_json()}\n" for record in RECORDS)
    (tmp_path / "records.jsonl").write_text(lines, encoding="utf-8-sig")
    outcome = bluestone("records", "export", "--data", tmp_path)
    assert (outcome.code, outcome.out, outcome.err) == (0, lines, "")
    (tmp_path / "game.htttx").write_text("version[2];1.[1,0][0,1];", encoding="utf-8-sig")
    assert bluestone("records", "import", tmp_path / "game.htttx").code == 0


@pytest.mark.parametrize(
    ("content", "looks"),
    [
        (b"(;FF[4]GM[1999]\n;B[1-1]\n;W[1-2]\n)\n", "looks like SGF"),
        (b"\xef\xbb\xbfversion[2];\n1.[1,0][0,1];", "looks like htttx"),
        (b"[{}]", "JSON in another form"),
        (b"SQLite format 3\0" + bytes(80), "a database, whose name must end in .db"),
        (b"one\ntwo\n\nthree\nfour\nfive\n", "is not a file of game records"),
    ],
)
def test_a_file_of_another_kind_is_named_once(
    bluestone: Bluestone, tmp_path: Path, content: bytes, looks: str
) -> None:
    (tmp_path / "file").write_bytes(content)
    for command in (["records", "list"], ["records", "verify"], ["analyze"]):
        outcome = bluestone(*command, "--file", tmp_path / "file")
        assert outcome.code == 78
        assert looks in outcome.err
        assert outcome.err.count("\n") == 1


def test_records_of_one_id_are_all_verified(bluestone: Bluestone, tmp_path: Path) -> None:
    lies = RECORDS[0].model_copy(update={"turns": RECORDS[0].turns[:-1]})
    for records in ((lies, RECORDS[0]), (RECORDS[0], lies)):
        file = tmp_path / "records.jsonl"
        file.unlink(missing_ok=True)
        for record in records:
            append_record(file, record)
        outcome = bluestone("records", "verify", "--data", tmp_path)
        assert outcome.code == 1
        assert "2 games, 1 replay as recorded" in outcome.out
        shown = bluestone("records", "show", "game-1", "--data", tmp_path)
        assert "game 'game-1': 2 records have this id; this is the first" in shown.err


def test_list_reads_an_arenas_database(bluestone: Bluestone, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "arena.db")) as database, database:
        database.execute("CREATE TABLE games (id TEXT PRIMARY KEY, record TEXT)")
        database.execute("INSERT INTO games VALUES (?, ?)", ("x", RECORDS[0].model_dump_json()))
    outcome = bluestone("records", "list", "--data", tmp_path)
    assert "game-1" in outcome.out


def test_show_draws_the_last_position_with_scores_and_turns(
    bluestone: Bluestone, data: Path
) -> None:
    outcome = bluestone("records", "show", "game-1", "--data", data)
    assert outcome.code == 0
    assert "Granite - Ada" in outcome.out
    assert f"after turn {len(RECORDS[0].turns)} of {len(RECORDS[0].turns)}" in outcome.out
    scores = " ".join(map(str, RECORDS[0].scores[0]))  # type: ignore[index]
    assert f"player 1 Granite: groups {scores}" in outcome.out


def test_show_says_how_a_game_ended_early(bluestone: Bluestone, tmp_path: Path) -> None:
    last = decided_game()
    message = f"Ada wins. {early_end_words(last, ('Granite', 'Ada'))}"
    result = RecordedResult(winner=2, reason="played_out", message=message)
    append_record(tmp_path / "records.jsonl", record_of(last, result=result))
    shown = bluestone("records", "show", "game-1", "--data", tmp_path).out
    assert "player 2 won, played out\n" in shown
    assert "Granite keeps at least 3, and Ada gets at most 2." in " ".join(shown.split())


def test_show_draws_any_position(bluestone: Bluestone, data: Path) -> None:
    outcome = bluestone("records", "show", "game-1", "--ply", 1, "--data", data)
    first = RECORDS[0].turns[0].turn
    assert f"◉{first}" in outcome.out
    assert outcome.out.count("●") == 1, "the legend alone"
    assert "player 1 wins 62.5% (1000 visits)" in outcome.out
    empty = bluestone("records", "show", "game-1", "--ply", 0, "--data", data)
    assert "after turn 0 of" in empty.out


def test_show_as_json_has_the_stones(bluestone: Bluestone, data: Path) -> None:
    outcome = bluestone("records", "show", "game-1", "--ply", 1, "--data", data, "--json")
    shown = json.loads(outcome.out)
    assert shown["stones"] == {RECORDS[0].turns[0].turn: 1}
    assert shown["to_play"] == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["game-9"], "game 'game-9': there is no finished game with that id"),
        (["game"], "several ids start with this: game-1, game-2"),
        (["game-1", "--ply", "999"], "--ply 999: the game has plies 0 to"),
    ],
)
def test_show_names_a_missing_game(
    bluestone: Bluestone, data: Path, words: list[str], message: str
) -> None:
    outcome = bluestone("records", "show", *words, "--data", data)
    assert (outcome.code, outcome.out) == (78, "")
    assert message in outcome.err


def test_export_to_lines_equals_the_records(
    bluestone: Bluestone, data: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.jsonl"
    assert bluestone("records", "export", "--data", data, "--output", copy).out == ""
    assert list(read_records(copy)) == RECORDS
    assert [path.name for path in tmp_path.iterdir() if "copy" in path.name] == ["copy.jsonl"]


def test_export_to_sgf_is_a_collection(bluestone: Bluestone, data: Path) -> None:
    outcome = bluestone("records", "export", "--format", "sgf", "--data", data)
    games = read_sgf(outcome.out)
    assert [game[0]["GN"] for game in games] == [["game-1"], ["game-2"]]


def test_export_of_chosen_games(bluestone: Bluestone, data: Path) -> None:
    outcome = bluestone("records", "export", "game-2", "--format", "jsonl", "--data", data)
    assert GameRecord.model_validate_json(outcome.out) == RECORDS[1]
    assert bluestone("records", "export", "game-7", "--data", data).code == 78


def test_export_to_abstract_play_leaves_out_aborted_games(bluestone: Bluestone, data: Path) -> None:
    aborted = RecordedResult(winner=None, reason="aborted")
    append_record(
        data / "records.jsonl", RECORDS[0].model_copy(update={"id": "x", "result": aborted})
    )
    outcome = bluestone("records", "export", "--format", "ap", "--data", data)
    exported = [json.loads(line) for line in outcome.out.splitlines()]
    for record in exported:
        jsonschema.Draft202012Validator(SCHEMA).validate(record)
    assert [record["header"]["site"]["gameid"] for record in exported] == ["game-1", "game-2"]
    assert "x: left out: it has no result (aborted)" in outcome.err


@pytest.mark.parametrize("reason", sorted(NOT_DECIDED))
def test_a_game_that_nobody_won_is_no_draw(
    bluestone: Bluestone, tmp_path: Path, reason: str
) -> None:
    result = RecordedResult(winner=None, reason=reason)
    append_record(tmp_path / "records.jsonl", record_of(finished_position(), result=result))
    for command in (["records", "list"], ["records", "export", "--format", "sgf"]):
        assert "draw" not in bluestone(*command, "--data", tmp_path).out.lower()


def test_data_is_utf_8_in_every_terminal(tmp_path: Path) -> None:
    record = record_of(finished_position(), event="Örebro ★")
    append_record(tmp_path / "records.jsonl", record)
    environment = os.environ | {"PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"}

    def said(*arguments: str) -> bytes:
        command = [sys.executable, "-m", "bot", "records", *arguments, "--data", str(tmp_path)]
        return subprocess.run(command, env=environment, capture_output=True, check=True).stdout

    assert GameRecord.model_validate_json(said("export")) == record
    assert "EV[Örebro ★]" in said("export", "--format", "sgf").decode()
    assert json.loads(said("list", "--json"))[0]["event"] == "Örebro ★"
    player = record.model_copy(update={"id": "★-1"})
    append_record(tmp_path / "records.jsonl", player)
    assert b"?-1" in said("list")


def test_a_place_that_cannot_be_written_is_named(bluestone: Bluestone, data: Path) -> None:
    outcome = bluestone("records", "export", "--data", data, "--output", data / "no" / "file")
    assert outcome.code == 71
    assert "cannot be written" in outcome.err


def test_verify_replays_every_game(bluestone: Bluestone, tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    for record in RECORDS:
        append_record(path, record)
    outcome = bluestone("records", "verify", "--file", path)
    assert (outcome.code, outcome.out) == (0, "2 games, 2 replay as recorded\n")


def test_verify_finds_lies_and_damage(bluestone: Bluestone, data: Path) -> None:
    lie = RECORDS[0].model_copy(update={"id": "lie", "scores": ([99], [0])})
    append_record(data / "records.jsonl", lie)
    outcome = bluestone("records", "verify", "--data", data, "--json")
    assert outcome.code == 1
    found = json.loads(outcome.out)
    assert (found["games"], found["damaged"]) == (3, 1)
    assert list(found["problems"]) == ["lie"]


def test_nothing_to_read_is_one_clear_message(bluestone: Bluestone, tmp_path: Path) -> None:
    outcome = bluestone("records", "list", "--data", tmp_path)
    assert outcome.code == 78
    assert "no records here" in outcome.err


# ---- HeXO's notations --------------------------------------------------------------------------

GAME = """version[2]name[club 7]playercross[Whale]playercircle[Snake]winner[cross]endreason[resign];
1. [1,0] [0,1];
2. [-1,0] [0,-1] {@4500:%10};
"""


def test_games_of_other_programs_become_records_and_go_back(
    bluestone: Bluestone, tmp_path: Path
) -> None:
    source, records = tmp_path / "game.htttx", tmp_path / "records.jsonl"
    source.write_text(GAME + GAME.replace("club 7", "club 8"))
    assert bluestone("records", "import", source, "--output", records).code == 0
    assert bluestone("records", "verify", "--file", records).out.startswith("2 games, 2 replay")
    shown = bluestone("records", "export", "club 8", "--format", "htttx2", "--file", records).out
    assert shown.startswith("version[2]\nname[club 8]\n")
    assert "2. [-1,0] [0,-1]{@4500:%10};" in shown
    plain = bluestone("records", "export", "--format", "htttx1", "--file", records).out
    assert plain.count("2. [-1,0] [0,-1];") == 2
    again = tmp_path / "again.htttx"
    again.write_text(plain)
    assert len(bluestone("records", "import", again).out.splitlines()) == 2


def test_a_position_of_a_game_is_exported_as_a_setup(bluestone: Bluestone, tmp_path: Path) -> None:
    source, records = tmp_path / "game.htttx", tmp_path / "records.jsonl"
    source.write_text(GAME)
    bluestone("records", "import", source, "--output", records)
    words = ("records", "export", "--format", "htttx2-setup", "--file", records, "--ply")
    assert "x [0,0] : o [1,0] [0,1] ;" in bluestone(*words, 2).out
    assert "club 7-053125870879 has plies 1 to 3" in bluestone(*words, 9).err
    refusal = bluestone("records", "export", "--ply", 2, "--file", records)
    assert "--ply: only --format htttx2-setup writes a position" in refusal.err


def test_an_opening_in_bke_is_read_in_the_chosen_direction(
    bluestone: Bluestone, tmp_path: Path
) -> None:
    source = tmp_path / "closed.bke"
    source.write_text("A0 A2 x A1 A4")

    def turns(*words: object) -> list[str]:
        line = bluestone("records", "import", source, "--format", "bke", *words).out
        return [turn["turn"] for turn in json.loads(line)["turns"]]

    assert turns() == ["0:0", "1:0,-1:1", "0:1,0:-1"]
    assert turns("--zero", 1, "--clockwise") == ["0:0", "0:1,1:-1", "1:0,-1:0"]


def test_games_that_cannot_be_read_or_played_are_named(
    bluestone: Bluestone, tmp_path: Path
) -> None:
    source = tmp_path / "game.htttx"
    source.write_text(GAME + GAME.replace("[1,0]", "[99,0]"))
    outcome = bluestone("records", "import", source)
    assert (outcome.code, len(outcome.out.splitlines())) == (1, 1)
    assert f"{source}: game 2 is left out: turn 1: " in outcome.err
    source.write_text(GAME[:-3])
    outcome = bluestone("records", "import", source)
    assert (outcome.code, outcome.out) == (78, "")
    assert "game.htttx: line 3, column 28: expected }" in outcome.err
    source.write_bytes(b"\xff")
    assert "is not UTF-8" in bluestone("records", "import", source).err
    assert "cannot be read" in bluestone("records", "import", tmp_path / "no").err
