"""The log, and what it says is to be done next."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.training.errors import TrainingError
from engine.training.journal import (
    Began,
    Entry,
    GamesPlayed,
    Journal,
    Matched,
    Refused,
    Standing,
    Trained,
    read_entries,
    standing,
)
from engine.training.settings import Identity

IDENTITY = Identity("bluestone", "pent-3", 1, 2)
PLAYED = GamesPlayed(1, 60, 900, None)
TRAINED = Trained(1, 500, 2.0, 0.2, 0.2, 0.15, 0.001, 0.01)
ACCEPTED = Matched(1, 20, 0, 10, 120.5, accepted=True)
REJECTED = Matched(1, 10, 0, 20, -120.5, accepted=False)


def now() -> datetime:
    return datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("entries", "then"),
    [
        ([], Standing()),
        ([PLAYED], Standing(1, "train", None, 0.0, 60)),
        ([PLAYED, TRAINED], Standing(1, "match", None, 0.0, 60)),
        ([PLAYED, TRAINED, ACCEPTED], Standing(2, "play", 1, 120.5, 60)),
        ([PLAYED, TRAINED, REJECTED], Standing(2, "play", None, 0.0, 60)),
        ([PLAYED, Refused(1, "nan")], Standing(2, "play", None, 0.0, 60)),
        (
            [PLAYED, TRAINED, ACCEPTED, GamesPlayed(2, 40, 9, 1)],
            Standing(2, "train", 1, 120.5, 100),
        ),
    ],
)
def test_entries_determine_the_next_phase(entries: list[Entry], then: Standing) -> None:
    assert standing(entries) == then


def test_a_log_is_read_as_it_was_written(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "log.jsonl", now)
    journal.begin(IDENTITY)
    for entry in (PLAYED, TRAINED, ACCEPTED, GamesPlayed(2, 40, 9, 1), Refused(2, "why")):
        journal.append(entry)
    assert read_entries(tmp_path / "log.jsonl") == journal.entries
    Journal(tmp_path / "log.jsonl", now).begin(IDENTITY)
    assert len(read_entries(tmp_path / "log.jsonl")) == 6
    assert '"at": "2026-01-02T03:04:05+00:00"' in (tmp_path / "log.jsonl").read_text()


def test_a_truncated_line_is_ignored(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    journal = Journal(file, now)
    journal.begin(IDENTITY)
    journal.append(PLAYED)
    whole = file.read_bytes()
    for end in range(whole.index(b"\n") + 1, len(whole)):
        file.write_bytes(whole[:end])
        again = Journal(file, now)
        assert len(again.entries) == 1
        again.append(PLAYED)
        assert file.read_bytes() == whole


def test_a_folder_of_another_training_is_refused(tmp_path: Path) -> None:
    Journal(tmp_path / "log.jsonl", now).begin(IDENTITY)
    other = Identity("bluestone", "pent-3", 1, 4)
    with pytest.raises(TrainingError, match="layers=2"):
        Journal(tmp_path / "log.jsonl", now).begin(other)


@pytest.mark.parametrize(
    "entries",
    [
        [TRAINED],
        [PLAYED, ACCEPTED],
        [PLAYED, TRAINED, ACCEPTED, PLAYED],
        [PLAYED, PLAYED],
        [Began("bluestone", "pent-3", 1, 2)],
    ],
)
def test_a_log_from_which_a_line_is_missing_is_named(tmp_path: Path, entries: list[Entry]) -> None:
    journal = Journal(tmp_path / "log.jsonl", now)
    journal.begin(IDENTITY)
    for entry in entries:
        journal.append(entry)
    with pytest.raises(TrainingError, match=rf"log\.jsonl: line {len(entries) + 1} does not"):
        Journal(tmp_path / "log.jsonl", now).begin(IDENTITY)


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        "{}",
        '{"event": "moon"}',
        '{"event": ["refused"]}',
        '{"event": "refused"}',
        '{"event": "refused", "generation": "1", "why": ""}',
        '{"event": "games-played", "generation": 1, "games": 9, "rows": null, "best": null}',
        '{"event": "games-played", "generation": true, "games": 9, "rows": 8, "best": null}',
    ],
)
def test_an_invalid_line_is_named(tmp_path: Path, line: str) -> None:
    (tmp_path / "log.jsonl").write_text(
        f'{{"event": "refused", "generation": 1, "why": ""}}\n{line}\n'
    )
    with pytest.raises(TrainingError, match=r"log\.jsonl: line 2"):
        read_entries(tmp_path / "log.jsonl")
