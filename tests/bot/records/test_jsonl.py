"""JSON Lines: what is appended comes back, and damage costs only the damaged lines."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bot.errors import ConfigurationError, HostError
from bot.records import jsonl
from bot.records.jsonl import DamagedLine, append_record, read_records
from bot.records.model import GameRecord
from tests.bot.records.samples import finished_position, record_of
from tests.fakes.full_disk import longest_file
from tests.fakes.synced import syncs

RECORD = record_of(finished_position("pent-3"))
LINE = RECORD.model_dump_json()


def read(path: Path) -> list[GameRecord | DamagedLine]:
    return list(read_records(path))


def test_appended_records_come_back_in_order(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "records.jsonl"
    records = [RECORD.model_copy(update={"id": f"game-{n}"}) for n in range(3)]
    for record in records:
        append_record(path, record)
    assert read(path) == records


def test_a_record_outlives_a_power_cut(tmp_path: Path) -> None:
    path = tmp_path / "new" / "records.jsonl"
    with syncs() as synced:
        append_record(path, record_of(finished_position()))
        assert synced.has_name_of(path)
        assert synced.has_all_of(path)


def test_a_record_starts_on_a_fresh_line_after_a_truncated_one(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    path.write_text(LINE + "\n" + LINE[:100])
    append_record(path, RECORD)
    first, damaged, last = read(path)
    assert first == last == RECORD
    assert isinstance(damaged, DamagedLine)
    assert damaged.number == 2


def test_a_disk_that_fills_up_leaves_no_half_record(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    append_record(path, RECORD)
    with longest_file(len(LINE) + 100):
        for _ in range(3):
            with pytest.raises(HostError, match="cannot be written"):
                append_record(path, RECORD)
    append_record(path, RECORD)
    assert path.read_text() == f"{LINE}\n" * 2


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "not JSON: EOF while parsing"),
        ("rubbish", "not JSON: expected value"),
        ("[1, 2]", "not a game record: a JSON object is required"),
        ('"text"', "not a game record: a JSON object is required"),
        ("{}", "id: Field required (and 8 more)"),
        (LINE.replace("bluestone-record-1", "bluestone-record-9"), "not a game record of a known"),
        (LINE.replace('"platform":"arena",', ""), "platform: Field required"),
        (LINE.replace('"rated":false', '"rated":false,"colour":"red"'), "colour: Extra inputs"),
        (LINE.replace('"winner":', '"winner":7,"was":'), "result.winner: Input should be 1 or 2"),
        ("\x00" * 50, "not JSON: expected value"),
    ],
)
def test_a_damaged_line_is_reported_with_its_number(tmp_path: Path, line: str, reason: str) -> None:
    path = tmp_path / "records.jsonl"
    path.write_text(f"{LINE}\n\n{line}\n{LINE}\n")
    first, damaged, last = read(path)
    assert first == last == RECORD
    assert isinstance(damaged, DamagedLine)
    assert damaged.number == 3
    assert damaged.reason.startswith(reason)


def test_a_format_of_the_future_counts_as_unknown_not_as_broken(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    path.write_text('{"format": "bluestone-record-2", "everything": "else"}\n')
    (damaged,) = read(path)
    assert isinstance(damaged, DamagedLine)
    assert "bluestone-record-1" in damaged.reason


def test_bytes_that_are_not_text_are_damage(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    path.write_bytes(b"\xff\xfe\x80\n" + LINE.encode() + b"\n")
    damaged, record = read(path)
    assert isinstance(damaged, DamagedLine)
    assert record == RECORD


def test_the_end_of_a_file_cut_short_is_named_so(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    path.write_text(LINE + "\n" + LINE[:-5])
    _, damaged = read(path)
    assert damaged == DamagedLine(2, "truncated: the file ends in the middle of the line")


def test_a_whole_last_line_needs_no_line_break(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    path.write_text(LINE)
    assert read(path) == [RECORD]


@pytest.mark.parametrize("length", [101, 150, 200, 201, 350])
def test_a_line_that_is_too_long_is_skipped_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, length: int
) -> None:
    monkeypatch.setattr(jsonl, "MAX_LINE_BYTES", 100)
    path = tmp_path / "records.jsonl"
    path.write_text("{}\n" + "x" * length + "\n{}\n" + "y" * length)
    found = read(path)
    numbers = [line.number for line in found if isinstance(line, DamagedLine)]
    assert numbers == [1, 2, 3, 4]
    assert [line for line in found if "longer than 100 bytes" in str(line)] == [found[1], found[3]]


def test_reading_can_start_at_the_end_of_a_record(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    path.write_bytes(b"cut sho")
    since = path.stat().st_size
    append_record(path, RECORD)
    assert list(read_records(path, since)) == [RECORD]
    assert len(list(read_records(path, 1_000_000))) == 2, "the file is another one by now"


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"gone\.jsonl: no such file"):
        read(tmp_path / "gone.jsonl")


def test_a_place_that_cannot_be_written_or_read_is_the_hosts_fault(tmp_path: Path) -> None:
    with pytest.raises(HostError, match="cannot be written"):
        append_record(tmp_path, RECORD)
    with pytest.raises(HostError, match="cannot be read"):
        read(tmp_path)


def test_writers_that_append_at_once_do_not_mix_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    with ThreadPoolExecutor(4) as pool:
        for _ in range(20):
            pool.submit(append_record, path, RECORD)
    assert read(path) == [RECORD] * 20
