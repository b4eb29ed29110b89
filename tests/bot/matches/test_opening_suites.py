"""Files of openings."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

import engine
from bot.errors import ConfigurationError
from bot.matches.openings import Opening, OpeningSearch, read_suite, suite_text
from bot.records.jsonl import append_record
from bot.records.model import GameRecord, RecordedPlayer, RecordedTurn
from bot.records.writing import game_record, setup_of
from bot.time_controls import Untimed

GAME = engine.game("bluestone", "pent-6")
MOMENT = datetime(2026, 1, 1, tzinfo=UTC)


def problems(path: Path) -> list[str]:
    with pytest.raises(ConfigurationError) as refused:
        read_suite(path, GAME)
    return refused.value.problems


def test_a_text_file_has_one_opening_per_line_and_comments(tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    suite.write_text("# mine\n\n0-0\n 0-0  1-0,3-2   # a good one\r\n5-3\n")
    assert read_suite(suite, GAME) == [("0-0",), ("0-0", "1-0,3-2"), ("5-3",)]


def test_every_error_is_reported_with_its_line(tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    suite.write_text("0-0\n0-0 0-0,1-0\n0-0 # again\nx\n")
    found = problems(suite)
    assert [text.split(": ")[0] for text in found] == [f"{suite}:{line}" for line in (2, 3, 4)]
    assert ": turn 2: " in found[0]
    assert found[1].endswith("the same opening as in line 1")


def test_a_finished_game_is_refused_as_an_opening(tmp_path: Path) -> None:
    small = engine.game("bluestone", "pent-3")
    suite = tmp_path / "suite"
    suite.write_text(" ".join(engine.play_out(small).turns))
    with pytest.raises(ConfigurationError, match=r"suite:1: the game is over after it"):
        read_suite(suite, small)


def test_a_file_without_openings_is_refused(tmp_path: Path) -> None:
    (empty := tmp_path / "empty").write_text("# nothing\n")
    (binary := tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    assert problems(empty) == [f"{empty}: has no openings"]
    assert "not UTF-8" in problems(binary)[0]
    assert problems(tmp_path / "none") == [f"{tmp_path / 'none'}: no such file"]


def test_a_long_list_of_errors_is_shortened(tmp_path: Path) -> None:
    (suite := tmp_path / "suite").write_text("x\n" * 50)
    assert problems(suite)[-1] == "and 30 more"


def record(game: engine.Game, turns: list[RecordedTurn]) -> GameRecord:
    player = RecordedPlayer(name="x", kind="bot")
    return game_record(
        "g",
        "match",
        setup_of(game, Untimed()),
        (player, player),
        turns,
        None,
        last=None,
        began=MOMENT,
        ended=None,
    )


def test_a_record_gives_its_marked_opening_or_all_turns(tmp_path: Path) -> None:
    suite = tmp_path / "suite.jsonl"
    marked = [RecordedTurn(turn="0-0", source="opening"), RecordedTurn(turn="1-0,3-2")]
    append_record(suite, record(GAME, marked))
    append_record(suite, record(GAME, [RecordedTurn(turn="5-3")]))
    assert read_suite(suite, GAME) == [("0-0",), ("5-3",)]
    append_record(suite, record(engine.game("bluestone", "pent-4"), marked))
    with suite.open("a") as file:
        file.write("{\n")
    found = problems(suite)
    assert found[0].endswith("3: a game of bluestone on pent-4, not bluestone on pent-6")
    assert found[1].startswith(f"{suite}:4: not JSON")


def test_a_written_file_can_be_read(tmp_path: Path) -> None:
    search = OpeningSearch(2, 0.1, [Opening(("0-0",), 0.512), Opening(("0-0", "1-0,3-2"), 0.45)], 5)
    (suite := tmp_path / "suite").write_text(suite_text(GAME, 2, 1, search))
    assert read_suite(suite, GAME) == [("0-0",), ("0-0", "1-0,3-2")]
    assert "0-0  # 0.512" in suite.read_text()


def test_a_byte_order_mark_is_ignored(tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    suite.write_text("0-0\n", encoding="utf-8-sig")
    assert read_suite(suite, GAME) == [("0-0",)]
