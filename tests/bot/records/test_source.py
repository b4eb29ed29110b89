"""Where records come from: the arena's database first, then lines, with clear words if neither."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bot.errors import ConfigurationError, HostError
from bot.records.jsonl import DamagedLine, append_record
from bot.records.model import GameRecord
from bot.records.source import find_records, record_source
from tests.bot.records.samples import finished_position, record_of

RECORD = record_of(finished_position("pent-3"))


def write_database(path: Path, rows: list[tuple[str, str | None]]) -> sqlite3.Connection:
    database = sqlite3.connect(path)
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("CREATE TABLE games (id TEXT PRIMARY KEY, record JSON)")
    database.executemany("INSERT INTO games VALUES (?, ?)", rows)
    database.commit()
    return database


def test_lines_are_read_if_there_is_no_database(tmp_path: Path) -> None:
    append_record(tmp_path / "records.jsonl", RECORD)
    source = record_source(tmp_path)
    assert list(source) == [RECORD]
    assert source.unit == "line"


def test_finished_games_are_read_while_the_arena_holds_its_database_open(tmp_path: Path) -> None:
    append_record(tmp_path / "records.jsonl", RECORD)
    rows = [("a", RECORD.model_dump_json()), ("running", None), ("b", "{}")]
    with closing(write_database(tmp_path / "arena.db", rows)) as database:
        database.execute("INSERT INTO games VALUES ('uncommitted', '{}')")
        source = record_source(tmp_path)
        first, damaged = source
    assert first == RECORD
    assert isinstance(damaged, DamagedLine)
    assert (damaged.number, source.unit) == (2, "game")
    assert damaged.reason.startswith("b: id: Field required")


def test_reading_a_database_leaves_it_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "arena.db"
    write_database(path, [("a", RECORD.model_dump_json())]).close()
    before = path.read_bytes()
    assert list(record_source(tmp_path)) == [RECORD]
    assert path.read_bytes() == before


def test_a_file_goes_before_the_folder(tmp_path: Path) -> None:
    append_record(tmp_path / "mine.jsonl", RECORD)
    assert list(record_source(tmp_path / "none", tmp_path / "mine.jsonl")) == [RECORD]


def test_a_missing_source_is_reported_with_its_place(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no records here"):
        record_source(tmp_path)
    with pytest.raises(ConfigurationError, match=r"mine\.jsonl: no such file"):
        record_source(tmp_path, tmp_path / "mine.jsonl")


def test_an_invalid_database_is_reported(tmp_path: Path) -> None:
    (tmp_path / "arena.db").write_text("this is no database, and is long enough to be looked at")
    with pytest.raises(HostError, match=r"arena\.db: cannot be read"):
        list(record_source(tmp_path))


@pytest.mark.parametrize(("asked", "found"), [("abc", "abc"), ("abcd", "abcd1"), ("x", "x9")])
def test_a_record_is_found_by_its_id_or_the_start_of_it(asked: str, found: str) -> None:
    records: list[GameRecord | DamagedLine] = [
        RECORD.model_copy(update={"id": game_id}) for game_id in ("abcd1", "abc", "x9")
    ]
    (record,) = find_records([DamagedLine(1, "broken"), *records], asked)
    assert record.id == found


def test_an_unknown_or_ambiguous_id_is_refused() -> None:
    records = [RECORD.model_copy(update={"id": game_id}) for game_id in ("abc1", "abc2")]
    with pytest.raises(ConfigurationError, match="several ids start with this: abc1, abc2"):
        find_records(records, "abc")
    with pytest.raises(ConfigurationError, match="there is no finished game with that id"):
        find_records(records, "z")
