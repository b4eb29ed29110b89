"""Root saves and restores the data of a service as its user: what a link leads to stays closed."""

import os
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest

from bot.errors import HostError
from bot.runtime import backup as backups
from bot.runtime.backup import back_up, restore, verify
from bot.runtime.data_owner import rights_of_owner
from bot.runtime.database import make_private
from bot.runtime.files import held, make_file, open_private

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
SERVICE: Final = 61_998
"""A user whom nobody else uses."""
NOW = datetime(2026, 11, 24, 12, tzinfo=UTC)
SECRET: Final = "root:*:20228"


@pytest.fixture
def private(tmp_path: Path) -> Path:
    """A folder that only root may enter, like /var/lib/private, with a secret of root's in it."""
    folder = tmp_path / "private"
    folder.mkdir(mode=0o700)
    (folder / "shadow").write_text(SECRET)
    return folder


@pytest.fixture
def data(private: Path) -> Iterator[Path]:
    """The data of a service, in a folder that its user cannot enter from outside."""
    folder = private / "data"
    (folder / "bot").mkdir(parents=True)
    (folder / "records.jsonl").write_text('{"id":1}\n')
    (folder / "bot" / "sand.token").write_text("token")
    (folder / "arena.lock").touch()
    with closing(sqlite3.connect(folder / "arena.db", isolation_level=None)) as database:
        database.execute("PRAGMA journal_mode = WAL").fetchall()
        database.execute("CREATE TABLE games AS SELECT 'a' AS id")
        give(folder)
        yield folder


def give(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        os.chown(path, SERVICE, SERVICE, follow_symlinks=False)
        if not path.is_symlink():
            path.chmod(0o700 if path.is_dir() else 0o600)


def owners(folder: Path) -> set[int]:
    return {path.lstat().st_uid for path in (folder, *folder.rglob("*"))}


def test_a_backup_by_root_belongs_to_root_and_a_restore_to_the_service(
    data: Path, tmp_path: Path
) -> None:
    saved = back_up(data, tmp_path / "backups", NOW)
    assert {file.path for file in verify(saved).files} == {
        "arena.db",
        "records.jsonl",
        "bot/sand.token",
    }
    assert owners(tmp_path / "backups") == {0}
    assert {stat.S_IMODE(path.stat().st_mode) for path in saved.rglob("*.*")} == {0o600}
    (data / "records.jsonl").write_text("newer")
    former = restore(saved, data, NOW)
    assert former is not None
    assert (data / "records.jsonl").read_text() == '{"id":1}\n'
    assert (former / "records.jsonl").read_text() == "newer"
    assert owners(data) == {SERVICE}
    with closing(sqlite3.connect(data / "arena.db")) as database:
        assert database.execute("SELECT id FROM games").fetchall() == [("a",)]
    assert os.geteuid() == 0
    assert (tmp_path / "backups").is_dir()  # the root folder is the former one


@pytest.mark.parametrize("target", ["shadow", "../shadow", "private.db"])
def test_a_link_of_the_service_leads_root_nowhere(
    data: Path, private: Path, tmp_path: Path, target: str
) -> None:
    with closing(sqlite3.connect(private / "private.db")) as others:
        others.execute(f"CREATE TABLE secrets AS SELECT '{SECRET}' AS secret")
        others.commit()
    leads_to = Path(target) if target.startswith("..") else private / target
    (data / "notes.txt").symlink_to(leads_to)
    assert (data / "notes.txt").exists()
    with pytest.raises(HostError, match=r"notes\.txt: this link leads out of the folder"):
        back_up(data, tmp_path / "backups", NOW)
    assert SECRET.encode() not in contents(tmp_path)


def contents(folder: Path) -> bytes:
    """All that is in the folders of backups."""
    return b"".join(path.read_bytes() for path in folder.glob("backups/**/*") if path.is_file())


@pytest.mark.parametrize("name", ["records.jsonl", "arena.db", "bot"])
def test_a_link_that_appears_during_a_backup_leads_root_nowhere(
    data: Path, private: Path, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The service exchanges a file, or a folder, after root has looked at it."""
    (private / "bot").mkdir()
    (private / "bot" / "sand.token").write_text(SECRET)
    with closing(sqlite3.connect(private / "arena.db")) as others:
        others.execute(f"CREATE TABLE secrets AS SELECT '{SECRET}' AS secret")
        others.commit()
    (private / "records.jsonl").write_text(SECRET)
    write = backups._write

    def exchanged(*arguments: Any) -> None:
        (data / name).rename(data / "former")
        (data / name).symlink_to(private / name)
        write(*arguments)

    monkeypatch.setattr(backups, "_write", exchanged)
    with pytest.raises(HostError, match="the backup failed"):
        back_up(data, tmp_path / "backups", NOW)
    assert SECRET.encode() not in contents(tmp_path)


def test_a_folder_that_becomes_a_link_during_a_restore_leads_root_nowhere(
    data: Path, private: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = back_up(data, tmp_path / "backups", NOW)
    outside = private / "cron.d"
    outside.mkdir()
    sync = backups._sync_folders

    def exchanged(folder: Path) -> None:
        """As the service would do it at this moment, while root is the service."""
        if folder.name.endswith(".partial"):
            (folder / "bot").rename(folder / "aside")
            (folder / "bot").symlink_to(outside)
        sync(folder)

    monkeypatch.setattr(backups, "_sync_folders", exchanged)
    with pytest.raises(HostError, match="the restore failed"):
        restore(saved, data, NOW)
    assert list(outside.iterdir()) == []
    assert outside.stat().st_uid == 0


def test_a_lock_that_is_a_link_is_not_opened_by_root(
    data: Path, private: Path, tmp_path: Path
) -> None:
    saved = back_up(data, tmp_path / "backups", NOW)
    (data / "other.lock").symlink_to(private / "shadow")
    with pytest.raises(HostError, match="the restore failed"):
        restore(saved, data, NOW)
    assert (private / "shadow").read_text() == SECRET


def test_somebody_else_may_not_save_what_a_service_has(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A link would lead to what this person may read."""
    monkeypatch.setattr("bot.runtime.data_owner.os.geteuid", lambda: SERVICE + 1)
    with pytest.raises(HostError, match="run this as that user or as root"):
        back_up(data, data.parent / "backups", NOW)


def test_an_error_inside_gives_root_its_rights_and_its_folders_back(
    data: Path, tmp_path: Path
) -> None:
    here, groups = Path.cwd(), os.getgroups()
    with rights_of_owner(data):
        assert os.geteuid() == SERVICE
        assert Path("/records.jsonl").exists()
    with pytest.raises(FileNotFoundError), rights_of_owner(data) as inside:
        (inside / "missing").read_text()
    assert (os.geteuid(), os.getegid(), os.getgroups()) == (0, 0, groups)
    assert Path.cwd() == here
    assert tmp_path.is_dir()


@pytest.mark.parametrize("use", [make_file, open_private, make_private])
def test_root_follows_no_link_of_a_service_to_a_file_that_it_writes(
    data: Path, private: Path, use: Callable[[Path], object]
) -> None:
    """As `bluestone arena block` and the like, whose database root opens in this folder."""
    (data / "arena.db").rename(data / "aside.db")
    (data / "arena.db").symlink_to(private / "shadow")
    give(data)
    with pytest.raises(PermissionError, match="root follows no link"):
        use(data / "arena.db")
    os.chown(data / "arena.db", 0, 0, follow_symlinks=False)  # root's own may lead elsewhere
    make_file(data / "arena.db")


def test_files_that_root_makes_for_a_service_belong_to_the_service(data: Path) -> None:
    with held(data, "new.lock", "never"), open_private(data / "log"):
        pass
    assert {(data / name).stat().st_uid for name in ("new.lock", "log")} == {SERVICE}
