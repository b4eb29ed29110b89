"""Faults on disk, made on purpose: `bluestone doctor` finds each, and changes nothing."""

import os
import random
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.arena.players.accounts import issue_token
from bot.arena.store.connection import Connection
from bot.arena.store.opening import open_database
from bot.daemon.journal import WorkKey, open_journal
from bot.runtime.backup import MANIFEST, back_up
from tests.bot.arena.table import table
from tests.bot.doctor.conftest import Doctor

NOBODY = 65534


@pytest.fixture
async def data(tmp_path: Path) -> Path:
    """The data folder of an arena with a hundred accounts."""
    folder = tmp_path / "data"
    async with open_database(folder) as database:

        def fill(connection: Connection) -> None:
            connection.executemany(
                "INSERT INTO accounts"
                " VALUES (?, ?, ?, 'guest', ?, NULL, NULL, 'then', 'then', NULL)",
                [(f"id{n}", f"Name {n}" * 20, f"name{n}", f"hash{n}") for n in range(300)],
            )

        await database.write(fill)
    (folder / "arena.db-wal").unlink(missing_ok=True)
    return folder


@pytest.fixture
async def bots_data(tmp_path: Path) -> Path:
    """The data folder of a bot that gave up a turn."""
    folder = tmp_path / "bot"
    async with open_journal(folder / "journal.db") as journal:
        for ply in range(500):
            await journal.accept(WorkKey("arena", f"game-{ply:03}", ply))
        await journal.give_up(WorkKey("arena", "game-007", 7), "refused")
    return folder


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that all users can enter, unlike that of pytest."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        folder.chmod(0o755)
        yield folder


def content(folder: Path) -> dict[str, tuple[bytes, int]]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def damage(path: Path) -> None:
    """Overwrite the second half of the file, as a failing disk would."""
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(size // 2)
        file.write(random.Random(1).randbytes(size - size // 2))


STORES = ("database", "games", "records", "journal", "permissions")
ONLY = [word for name in STORES for word in ("--only", name)]


async def test_sound_folders_are_ok_and_stay_as_they_are(
    doctor: Doctor, data: Path, bots_data: Path
) -> None:
    before = content(data), content(bots_data)
    arena = await doctor("--data", data, *ONLY)
    assert (arena.bad(), arena.code) == ([], 0)
    bot = await doctor("--data", bots_data, *ONLY)
    [line] = bot.bad()
    assert line.startswith("warn  journal")
    assert "1 turns need a person, in game-007" in line
    assert bot.code == 0
    assert (content(data), content(bots_data)) == before


async def test_a_running_arena_is_examined_and_plays_on(doctor: Doctor, tmp_path: Path) -> None:
    async with table(tmp_path) as t:
        await t.play(0, "0-0")
        files = names(tmp_path)
        report = await doctor("--data", tmp_path, *ONLY)
        assert names(tmp_path) == files
        await t.play(1, "2-0,2-2")
    assert (report.bad(), report.code) == ([], 0)
    assert any("1 running games" in line for line in report.lines)


async def test_a_folder_that_does_not_exist_is_not_created(doctor: Doctor, tmp_path: Path) -> None:
    report = await doctor("--data", tmp_path / "new", *ONLY)
    assert (report.bad(), report.code) == ([], 0)
    assert not (tmp_path / "new").exists()


async def test_a_damaged_page_of_the_database(doctor: Doctor, data: Path) -> None:
    damage(data / "arena.db")
    report = await doctor("--data", data, "--only", "database")
    assert report.only.startswith("FAIL  database")
    assert "damaged" in report.only
    assert "`bluestone restore` a backup" in report.only
    assert report.code == 1


async def test_a_database_of_a_newer_version(doctor: Doctor, data: Path) -> None:
    with closing(sqlite3.connect(data / "arena.db")) as database:
        database.execute("PRAGMA user_version = 99")
    report = await doctor("--data", data, "--only", "database")
    assert report.only.startswith("FAIL  database")
    assert "made by a newer version of Bluestone (schema 99" in report.only
    assert "-> update Bluestone" in report.only
    assert report.code == 1


async def test_a_row_whose_owner_is_missing(doctor: Doctor, data: Path) -> None:
    with closing(sqlite3.connect(data / "arena.db")) as database:
        database.execute("INSERT INTO hosts VALUES ('nobody', 'then')")
        database.commit()
    report = await doctor("--data", data, "--only", "database")
    assert "rows of hosts belong to rows that are missing" in report.only
    assert report.code == 1


async def test_a_large_database_is_checked_as_far_as_time_permits(
    doctor: Doctor, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.doctor.stores.STEPS", 1)
    monkeypatch.setattr("bot.doctor.stores.SHARE", -1.0)
    report = await doctor("--data", data, "--only", "database")
    assert report.only.startswith("warn  database")
    assert "not checked to its end -> allow more time with --seconds" in report.only


async def test_a_tournament_that_cannot_be_restored(doctor: Doctor, data: Path) -> None:
    with closing(sqlite3.connect(data / "arena.db")) as database:
        database.execute(
            "INSERT INTO tournaments VALUES ('cup', 'id1', '{}', 'running', NULL, ?, ?)",
            (datetime.now(UTC).isoformat(),) * 2,
        )
        database.commit()
    report = await doctor("--data", data, "--only", "games")
    assert report.only.startswith("FAIL  games        the tournament cup cannot be restored")
    assert report.code == 1


async def test_records_that_are_damaged(doctor: Doctor, data: Path) -> None:
    (data / "records.jsonl").write_text('{"id":"one"}\nrubbish\n{"id":"cut off')
    report = await doctor("--data", data, "--only", "records")
    assert report.only.startswith("warn  records")
    assert "1 damaged lines: 2 -> move the file away" in report.only


async def test_a_damaged_journal(doctor: Doctor, bots_data: Path) -> None:
    damage(bots_data / "journal.db")
    report = await doctor("--data", bots_data, "--only", "journal")
    assert report.only.startswith("FAIL  journal")
    assert "damaged" in report.only
    assert report.code == 1


async def test_a_journal_of_a_newer_version(doctor: Doctor, bots_data: Path) -> None:
    with closing(sqlite3.connect(bots_data / "journal.db")) as database:
        database.execute("PRAGMA user_version = 99")
    report = await doctor("--data", bots_data, "--only", "journal")
    assert "made by a newer version of Bluestone (tables 99" in report.only
    assert report.code == 1


async def test_a_database_that_others_can_read(doctor: Doctor, data: Path) -> None:
    (data / "arena.db").chmod(0o644)
    report = await doctor("--data", data, "--only", "permissions")
    assert report.only.startswith("FAIL  permissions")
    assert f"other users can read arena.db -> run `chmod -R go= {data}`" in report.only
    assert report.code == 1


def test_a_data_folder_that_cannot_be_written(doctor: Doctor, data: Path) -> None:
    if os.geteuid() == 0:  # root could write anywhere; the folder's owner counts
        os.chown(data, NOBODY, NOBODY)
    data.chmod(0o500)
    report = doctor.now("--data", data, "--only", "permissions")
    data.chmod(0o700)
    assert report.only.startswith("FAIL  permissions")
    assert "cannot write here -> run `chown" in report.only
    assert report.code == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to other users")
async def test_a_file_of_root_in_the_folder_of_another_user(doctor: Doctor, data: Path) -> None:
    os.chown(data, NOBODY, NOBODY)
    report = await doctor("--data", data, "--only", "permissions")
    assert "does not own arena.db -> run `chown -R 65534" in report.only
    assert report.code == 1


@pytest.mark.parametrize(
    ("mode", "status", "code"), [(0o644, "FAIL", 1), (0o640, "warn", 0), (0o600, "ok  ", 0)]
)
async def test_a_token_file_that_others_can_read(
    doctor: Doctor, open_folder: Path, mode: int, status: str, code: int
) -> None:
    token, bot = open_folder / "token", open_folder / "bot.toml"
    token.write_text(await issue_token(open_folder / "data", "Flint"))
    token.chmod(mode)
    table = f'[[platforms]]\nurl = "http://127.0.0.1:9"\ntoken_file = "{token}"\n'
    bot.write_text(f'daemon = {{ data = "{open_folder}/bot" }}\n{table}')
    report = await doctor("--bot", bot, "--only", "permissions")
    assert report.lines[1].startswith(f"{status}  permissions  platforms[0].token_file:")
    assert ("make a new token" in report.lines[1]) == (status == "FAIL")
    assert report.code == code


@pytest.mark.parametrize(
    ("hours", "status", "age"),
    [(1, "ok  ", "61 min"), (49, "warn", "2 days"), (200, "FAIL", "8")],
)
async def test_the_age_of_the_newest_backup(
    doctor: Doctor, data: Path, tmp_path: Path, hours: int, status: str, age: str
) -> None:
    back_up(data, tmp_path / "backups", datetime.now(UTC) - timedelta(hours=hours, minutes=1))
    report = await doctor("--data", data, "--backups", tmp_path / "backups", "--only", "backups")
    assert report.only.startswith(f"{status}  backups")
    assert f"undamaged, {age}" in report.only
    assert report.code == (status == "FAIL")


async def test_a_backup_that_is_damaged_or_missing(
    doctor: Doctor, data: Path, tmp_path: Path
) -> None:
    words = ("--data", data, "--backups", tmp_path / "backups", "--only", "backups")
    report = await doctor(*words)
    assert "there is no backup -> run `bluestone backup`" in report.only
    assert report.code == 1
    folder = back_up(data, tmp_path / "backups", datetime.now(UTC))
    damage(folder / "arena.db")
    report = await doctor(*words)
    assert "arena.db: the file differs from the manifest of the backup" in report.only
    (folder / MANIFEST).write_text("{}")
    report = await doctor(*words)
    assert "not a manifest of a backup" in report.only
    assert report.code == 1


async def test_no_backups_at_all_is_a_warning(doctor: Doctor, data: Path) -> None:
    report = await doctor("--data", data, "--only", "backups")
    assert report.only.startswith("warn  backups      no folder of backups was named")
    assert report.code == 0
