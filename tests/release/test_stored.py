"""Data folders that older versions left in the middle of games are continued by today's programs.

Each archive of `stored` was made by `python -m tests.release.upgrade --store NAME`.
"""

import json
import sqlite3
import tarfile
from contextlib import closing
from pathlib import Path

import pytest

from bot.arena.store import schema
from bot.arena.store.sqlite_database import FILE_NAME
from bot.matches.ledger import LEDGER, read_ledger
from bot.records.jsonl import read_records
from bot.records.model import GameRecord
from bot.runtime.database import version_of
from tests.chaos.programs import OURS
from tests.release.upgrade import STORED, Left, go_on, resume

ARCHIVES = sorted(STORED.glob("*.tar.gz"))


@pytest.fixture(params=ARCHIVES, ids=lambda path: path.name.removesuffix(".tar.gz"))
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    with tarfile.open(request.param) as archive:
        archive.extractall(tmp_path, filter="data")
    (tmp_path / "token").chmod(0o600)
    return tmp_path


def schema_of(folder: Path) -> int:
    with closing(sqlite3.connect(folder / "arena" / FILE_NAME)) as database:
        return version_of(database)


async def test_a_game_continues_between_a_person_and_a_bot(folder: Path) -> None:
    left = Left.read(folder)
    assert schema_of(folder) == left.schema
    await go_on(folder, left, OURS, OURS)
    assert schema_of(folder) == schema.VERSION
    copies = [path.name for path in (folder / "arena").glob("arena-schema-*.db")]
    is_old = left.schema < schema.VERSION
    assert copies == ([f"arena-schema-{left.schema}.db"] if is_old else [])


def test_an_interrupted_tournament_continues_and_keeps_its_results(folder: Path) -> None:
    ledger = folder / "tournament" / "out" / LEDGER
    before = ledger.read_bytes()
    resume(folder / "tournament", OURS)
    assert ledger.read_bytes().startswith(before)
    tournament = read_ledger(ledger).tournament
    assert tournament is not None
    assert tournament.ended is not None


@pytest.mark.parametrize("program", ["arena", "bot"])
def test_records_are_read(folder: Path, program: str) -> None:
    path = folder / program / "records.jsonl"
    [record] = read_records(path)
    assert isinstance(record, GameRecord)
    assert json.loads(path.read_text(encoding="utf-8"))["format"] == record.format


def test_todays_tables_have_a_stored_file() -> None:
    """A change of the tables needs an archive of the tables as they were before, and of today's."""
    stored = {schema_of_archive(path) for path in ARCHIVES}
    assert stored >= set(range(min(stored), schema.VERSION + 1)), "see docs/compatibility.md"


def schema_of_archive(path: Path) -> int:
    with tarfile.open(path) as archive:
        file = archive.extractfile("left.json")
        assert file is not None
        return int(json.load(file)["schema"])
