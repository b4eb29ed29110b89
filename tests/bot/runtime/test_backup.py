"""Backups of a data folder, their verification, and their restore."""

import fcntl
import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.errors import ConfigurationError, HostError
from bot.runtime.backup import MANIFEST, back_up, backups_in, restore, verify
from bot.runtime.files import held
from tests.fakes.synced import syncs

NOW = datetime(2026, 11, 24, 12, tzinfo=UTC)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with two rows that are only in the log of the database, and other files."""
    folder = tmp_path / "data"
    (folder / "bot").mkdir(parents=True)
    (folder / "logs").mkdir()
    (folder / "logs" / "arena.log").write_text("many lines")
    (folder / "records.jsonl").write_text('{"id":1}\n{"id":2}\n')
    (folder / "bot" / "sand.token").write_text("secret")
    (folder / "arena.lock").touch()
    add(folder, "a", "b")
    return folder


def open_database(folder: Path) -> sqlite3.Connection:
    database = sqlite3.connect(folder / "arena.db", isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL").fetchall()
    database.execute("CREATE TABLE IF NOT EXISTS games (id TEXT)")
    return database


def add(folder: Path, *ids: str) -> None:
    with closing(open_database(folder)) as database:
        database.executemany("INSERT INTO games VALUES (?)", [(each,) for each in ids])


def rows(folder: Path) -> list[str]:
    with closing(sqlite3.connect(folder / "arena.db")) as database:
        return [each for (each,) in database.execute("SELECT id FROM games ORDER BY id")]


def test_a_backup_has_everything_but_logs_and_locks(data: Path, tmp_path: Path) -> None:
    folder = back_up(data, tmp_path / "backups", NOW)
    saved = {file.path for file in verify(folder).files}
    assert saved == {"arena.db", "records.jsonl", "bot/sand.token"}
    assert (folder / "bot" / "sand.token").read_text() == "secret"


def test_a_backup_has_what_was_committed_while_the_database_is_open(
    data: Path, tmp_path: Path
) -> None:
    with closing(open_database(data)) as database:
        database.execute("INSERT INTO games VALUES ('c')")
        database.execute("BEGIN IMMEDIATE")
        database.execute("INSERT INTO games VALUES ('not committed')")
        folder = back_up(data, tmp_path / "backups", NOW)
        database.execute("COMMIT")
    assert rows(folder) == ["a", "b", "c"]


def test_a_database_on_another_disk_is_saved(data: Path, tmp_path: Path) -> None:
    (data / "arena.db").rename(tmp_path / "elsewhere.db")
    (data / "arena.db").symlink_to(tmp_path / "elsewhere.db")
    folder = back_up(data, tmp_path / "b", NOW)
    add(data, "newer")
    restore(folder, data, NOW)
    assert rows(data) == ["a", "b"]
    with closing(sqlite3.connect(tmp_path / "elsewhere.db")) as former:
        assert len(former.execute("SELECT id FROM games").fetchall()) == 3


def test_a_file_that_cannot_be_read_is_an_error_of_the_host(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = Path.open

    def refused(path: Path, *arguments: Any, **options: Any) -> Any:
        if path.name == "sand.token":
            raise PermissionError(13, "Permission denied")
        return opened(path, *arguments, **options)

    monkeypatch.setattr(Path, "open", refused)
    with pytest.raises(HostError, match="Permission denied"):
        back_up(data, tmp_path / "b", NOW)
    assert list((tmp_path / "b").iterdir()) == []


def test_only_the_owner_can_read_a_backup(data: Path, tmp_path: Path) -> None:
    folder = back_up(data, tmp_path / "backups", NOW)
    for path in (folder, *folder.rglob("*")):
        assert path.stat().st_mode & 0o077 == 0, path


def test_a_backup_and_a_restore_survive_a_power_cut(data: Path, tmp_path: Path) -> None:
    with syncs() as synced:
        folder = back_up(data, tmp_path / "b", NOW)
        restore(folder, tmp_path / "new", NOW)
    files = [MANIFEST, *(file.path for file in verify(folder).files)]
    for path in (folder, *(folder / file for file in files)):
        assert path.is_dir() or synced.has_all_of(path), path
        assert synced.has_name_of(path), path
    for path in (tmp_path / "new" / file for file in files[1:]):
        assert synced.has_all_of(path), path
        assert synced.has_name_of(path), path


def test_the_oldest_backups_are_deleted(data: Path, tmp_path: Path) -> None:
    made = [back_up(data, tmp_path / "b", NOW + timedelta(days=day), keep=2) for day in range(4)]
    assert list(backups_in(tmp_path / "b")) == [made[3], made[2]]


def test_a_damaged_database_is_noticed_and_earlier_backups_stay(data: Path, tmp_path: Path) -> None:
    first = back_up(data, tmp_path / "b", NOW)
    content = (data / "arena.db").read_bytes()
    page = 4096
    (data / "arena.db").write_bytes(content[:page] + b"x" * page + content[2 * page :])
    with pytest.raises(HostError, match="the database is damaged"):
        back_up(data, tmp_path / "b", NOW + timedelta(days=1), keep=1)
    assert list((tmp_path / "b").iterdir()) == [first]


def test_an_empty_folder_is_not_backed_up(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no files to back up"):
        back_up(tmp_path / "nothing", tmp_path / "b", NOW)


def test_a_restore_brings_the_files_back_and_keeps_the_former_ones(
    data: Path, tmp_path: Path
) -> None:
    folder = back_up(data, tmp_path / "b", NOW)
    add(data, "newer")
    (data / "records.jsonl").write_text("newer")
    former = restore(folder, data, NOW + timedelta(hours=1))
    assert rows(data) == ["a", "b"]
    assert (data / "records.jsonl").read_text() == '{"id":1}\n{"id":2}\n'
    assert not list(data.glob("*-wal"))
    assert former is not None
    assert rows(former) == ["a", "b", "newer"]
    again = restore(folder, data, NOW + timedelta(hours=2))
    assert again is not None
    assert rows(again) == ["a", "b"]
    assert rows(former) == ["a", "b", "newer"]


def test_a_restore_into_an_empty_place_has_no_former_files(data: Path, tmp_path: Path) -> None:
    folder = back_up(data, tmp_path / "b", NOW)
    assert restore(folder, tmp_path / "new", NOW) is None
    assert rows(tmp_path / "new") == ["a", "b"]


def changed(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)


def outside(path: Path) -> None:
    manifest = json.loads((path.parent / MANIFEST).read_text())
    manifest["files"][0]["path"] = "../evil"
    (path.parent / MANIFEST).write_text(json.dumps(manifest))


def of_a_newer_version(path: Path) -> None:
    manifest = json.loads((path.parent / MANIFEST).read_text())
    manifest |= {"format": "bluestone-backup-2", "taken_by": "cron"}
    (path.parent / MANIFEST).write_text(json.dumps(manifest))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (changed, r"arena\.db: the file differs"),
        (Path.unlink, r"arena\.db: the file of the backup is missing"),
        (lambda path: (path.parent / MANIFEST).unlink(), "cannot be read: No such file"),
        (lambda path: (path.parent / MANIFEST).write_text("[[["), r"not a manifest of a backup$"),
        (outside, "not a manifest"),
        (of_a_newer_version, r"manifest\.json: not a backup of a format .* update Bluestone$"),
    ],
    ids=["changed", "missing", "no manifest", "no JSON", "path outside", "newer"],
)
def test_a_damaged_backup_is_refused_and_changes_nothing(
    data: Path, tmp_path: Path, damage: Callable[[Path], None], message: str
) -> None:
    folder = back_up(data, tmp_path / "b", NOW)
    add(data, "newer")
    damage(folder / "arena.db")
    with pytest.raises(HostError, match=message):
        restore(folder, data, NOW)
    assert rows(data) == ["a", "b", "newer"]
    assert not list(data.glob("before-restore-*"))


def test_what_is_left_of_a_killed_backup_is_deleted_by_the_next(data: Path, tmp_path: Path) -> None:
    left = tmp_path / "b" / "backup-20261123T120000_000000Z.partial"
    left.mkdir(parents=True)
    (left / "arena.db").write_text("half")
    folder = back_up(data, tmp_path / "b", NOW)
    assert not left.exists()
    assert list(backups_in(tmp_path / "b")) == [folder]


def test_what_is_left_of_a_killed_restore_is_deleted_by_the_next(
    data: Path, tmp_path: Path
) -> None:
    folder = back_up(data, tmp_path / "b", NOW)
    left = data / "20261123T120000_000000Z.partial"
    left.mkdir()
    restore(folder, data, NOW)
    assert not left.exists()


def test_two_backups_into_one_folder_do_not_disturb_each_other(data: Path, tmp_path: Path) -> None:
    back_up(data, tmp_path / "b", NOW)
    folder = os.open(tmp_path / "b", os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    with pytest.raises(HostError, match="another backup is being written"):
        back_up(data, tmp_path / "b", NOW + timedelta(days=1))
    os.close(folder)


def test_a_folder_in_use_is_not_restored(data: Path, tmp_path: Path) -> None:
    folder = back_up(data, tmp_path / "b", NOW)
    add(data, "newer")
    with (
        held(data, "arena.lock", "in use"),
        pytest.raises(HostError, match="a program uses this folder; stop it"),
    ):
        restore(folder, data, NOW)
    assert rows(data) == ["a", "b", "newer"]


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "a/../../x", "", "a\0b"])
def test_a_manifest_with_a_path_outside_is_refused(data: Path, tmp_path: Path, path: str) -> None:
    backup = back_up(data, tmp_path / "backups", NOW)
    manifest = json.loads((backup / MANIFEST).read_text())
    manifest["files"][0]["path"] = path
    (backup / MANIFEST).write_text(json.dumps(manifest))
    with pytest.raises(HostError, match="not a manifest"):
        restore(backup, tmp_path / "elsewhere", NOW)
    assert not (tmp_path / "elsewhere").exists()
