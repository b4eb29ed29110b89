"""Backups of a data folder while its program runs, and their restore.

A backup is a folder with a copy of each file and `manifest.json`, which has the size and the
SHA-256 of each. SQLite files are copied with SQLite's online backup: the copy is one moment of the
database, with all that was committed before the backup began, and the running program does not
wait.

Other files are copied first. A game is committed to the database before its record is appended, so
the database of a backup has every game that `records.jsonl` has, and the next start adds the rest.
A last line that was cut off is handled by the next start as after a crash.

Another database. `_save` copies a file, and recognises SQLite by its first bytes. It needs nothing
from the arena's store: the online backup is the same for the arena's database and the bot's
journal, and also works on tables of another version. Passing a copier of the store through the
command would add a parameter with one value. An arena on a database server has no file of that
database here. It is copied by its own program, such as `pg_dump`, into the same partial folder
before the manifest is written: a second branch beside `_save`, chosen by the setting that names the
database. Verification, manifest, rotation and restore work on files and stay as they are.

The functions open and close the files of running databases, which would release the locks of a
connection in the same process. So only a program of its own may call them: `bluestone backup`.

Root reads and writes a data folder with the rights of its owner (`data_owner`), and what is in the
folder of the backups as root: a service can neither read nor change its backups.

A backup is written under another name, synchronised to disk, read again, and only then renamed, so
a folder named `backup-...` is complete and correct when it appears.
"""

import fcntl
import hashlib
import os
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Annotated, BinaryIO, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError

from bot import __version__
from bot.errors import ConfigurationError, HostError
from bot.runtime.data_owner import ROOT_FOLDER, rights_of_owner
from bot.runtime.files import make_file, make_folder, sync_folder

MANIFEST: Final = "manifest.json"
PREFIX: Final = "backup-"
FORMER: Final = "before-restore-"
PARTIAL: Final = ".partial"
SQLITE_HEADER: Final = b"SQLite format 3\0"
LEFT_OUT: Final = ("*.lock", "*-wal", "*-shm", "*-journal", "arena-schema-*.db", f"*{PARTIAL}")
"""Locks, the logs of SQLite, whose content the copy of a database has, and copies."""
FOLDERS_LEFT_OUT: Final = ("logs", f"{FORMER}*", f"{PREFIX}*", f"*{PARTIAL}")
STAMPED: Final = f"????????T??????_??????Z{PARTIAL}"
"""The folder into which a restore copies first."""
BLOCK: Final = 1 << 20


def _inside(path: str) -> str:
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts or "\0" in path:
        raise ValueError("not a path inside the backup")
    return path


class SavedFile(BaseModel):
    """A file of a backup; `path` is relative to the data folder, with slashes."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: Annotated[str, AfterValidator(_inside)]
    bytes: int
    sha256: str


class Manifest(BaseModel):
    """The content of `manifest.json`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["bluestone-backup-1"] = "bluestone-backup-1"
    created_at: datetime
    bluestone: str
    files: tuple[SavedFile, ...]


def back_up(data: Path, target: Path, now: datetime, keep: int | None = None) -> Path:
    """Write a backup of `data` into a new folder in `target`, and return that folder.

    With `keep`, older backups in `target` are deleted until that many are left.

    Raises ConfigurationError if `data` has nothing to save, and HostError if a file cannot be read,
    written or verified: then no backup appears, and none is deleted. Raises HostError also if an
    older backup cannot be deleted, if another backup is being written into `target`, or if the
    caller is neither root nor the owner of `data`. What a killed backup has left there is deleted.
    """
    found: tuple[PurePosixPath, ...] = ()
    if data.is_dir():
        with rights_of_owner(data) as inside:
            found = tuple(_files(inside))
    if not found:
        raise ConfigurationError([f"{data}: no files to back up"])
    name = f"{PREFIX}{now:%Y%m%dT%H%M%S_%fZ}"
    folder, partial = target / name, target / f"{name}{PARTIAL}"
    try:
        make_folder(target)
        with _alone_in(target):
            _sweep(target, f"{PREFIX}*{PARTIAL}")
            _write(data, folder, partial, now, found)
        for old in () if keep is None else backups_in(target)[keep:]:
            shutil.rmtree(old)
    except (OSError, sqlite3.Error) as error:
        raise HostError(f"{folder}: the backup failed: {error}") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return folder


def _write(
    data: Path, folder: Path, partial: Path, now: datetime, found: Sequence[PurePosixPath]
) -> None:
    make_folder(partial)
    with rights_of_owner(data) as inside:
        databases = {path for path in found if _is_database(inside / path)}
    files = [_save_file(data, partial, path) for path in found if path not in databases]
    files += [_save_database(data, partial, path) for path in found if path in databases]
    manifest = Manifest(created_at=now, bluestone=__version__, files=tuple(files))
    make_file(partial / MANIFEST)
    (partial / MANIFEST).write_text(manifest.model_dump_json(indent=1), encoding="utf-8")
    _sync(partial / MANIFEST)
    verify(partial)
    _sync_folders(partial)
    partial.rename(folder)
    sync_folder(folder.parent)


@contextmanager
def _alone_in(target: Path) -> Iterator[None]:
    """Lock the folder of the backups, without a file in it. Raises HostError if it is locked."""
    descriptor = os.open(target, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError as error:
        raise HostError(f"{target}: another backup is being written into this folder") from error
    finally:
        os.close(descriptor)


def _sweep(folder: Path, pattern: str) -> None:
    """Delete what is left of a copy that was killed; no other program writes one now."""
    for left in folder.glob(pattern):
        shutil.rmtree(left, ignore_errors=True)


def backups_in(target: Path) -> Sequence[Path]:
    """Return the complete backups in a folder, the newest one first."""
    found = (path for path in target.glob(f"{PREFIX}*") if not path.name.endswith(PARTIAL))
    return sorted((path for path in found if (path / MANIFEST).is_file()), reverse=True)


def verify(backup: Path) -> Manifest:
    """Compare a backup with its manifest, check its databases, and return the manifest.

    Raises HostError, naming the first file that is missing, changed or damaged.
    """
    try:
        manifest = Manifest.model_validate_json((backup / MANIFEST).read_bytes())
    except OSError as error:
        raise HostError(f"{backup / MANIFEST}: cannot be read: {error.strerror}") from error
    except ValidationError as error:
        if any(problem["loc"] == ("format",) for problem in error.errors(include_url=False)):
            why = "not a backup of a format that this version knows; update Bluestone"
        else:
            why = "not a manifest of a backup"
        raise HostError(f"{backup / MANIFEST}: {why}") from error
    for file in manifest.files:
        path = backup / file.path
        try:
            _check_file(path, file)
        except OSError as error:
            raise HostError(f"{path}: cannot be read: {error.strerror}") from error
    return manifest


def _check_file(path: Path, file: SavedFile) -> None:
    if not path.is_file() or path.is_symlink():
        raise HostError(f"{path}: the file of the backup is missing")
    if path.stat().st_size != file.bytes or _digest(path) != file.sha256:
        raise HostError(f"{path}: the file differs from the manifest of the backup")
    if _is_database(path):
        _check_database(path)


def restore(source: Path, data: Path, now: datetime) -> Path | None:
    """Put the files of a backup in the place of those in `data`.

    The former files move into a new folder in `data`, which is returned; None if there were none.

    Raises HostError if the backup is damaged, if a program uses `data`, or if a file cannot be
    written. Until all files of the backup are copied, the former ones stay in their place.
    """
    manifest = verify(source)
    stamp = f"{now:%Y%m%dT%H%M%S_%fZ}"
    former, partial = f"{FORMER}{stamp}", f"{stamp}{PARTIAL}"
    moved = 0
    try:
        make_folder(data)
        with ExitStack() as locks:
            with rights_of_owner(data) as inside:
                locks.enter_context(_unused(inside, data))
                _sweep(inside, STAMPED)
            _bring(manifest, source, data, partial)
            with rights_of_owner(data) as inside:
                _sync_folders(inside / partial)
                moved = _move(inside, inside / former, tuple(_replaced(inside)))
                paths = [PurePosixPath(file.path) for file in manifest.files]
                _move(inside / partial, inside, paths)
                _sync_folders(inside)
                shutil.rmtree(inside / partial)
    except OSError as error:
        where = f"; the former files are in {data / former}" if (data / former).exists() else ""
        with suppress(OSError, HostError), rights_of_owner(data) as inside:
            shutil.rmtree(inside / partial, ignore_errors=True)
        raise HostError(f"{data}: the restore failed: {error}{where}") from error
    return data / former if moved else None


def _bring(manifest: Manifest, source: Path, data: Path, partial: str) -> None:
    """Copy the files of a backup into a new folder of the data folder."""
    for saved in manifest.files:
        with (source / saved.path).open("rb") as file, rights_of_owner(data) as inside:
            _copy(file, inside / partial / saved.path)


def _files(data: Path) -> Iterator[PurePosixPath]:
    """Find the files of a data folder that a backup has."""
    for path in _all_files(data):
        if not any(path.match(pattern) for pattern in LEFT_OUT):
            yield path


def _replaced(data: Path) -> Iterator[PurePosixPath]:
    """Find the files that a restore moves away: all but locks, which programs may hold."""
    for path in _all_files(data):
        if not path.match("*.lock"):
            yield path


def _all_files(data: Path) -> Iterator[PurePosixPath]:
    """Find all files, also those that are on another disk behind a symbolic link."""
    for root, folders, names in os.walk(data):
        folders[:] = sorted(
            name
            for name in folders
            if not any(PurePosixPath(name).match(pattern) for pattern in FOLDERS_LEFT_OUT)
        )
        for name in sorted(names):
            path = Path(root, name)
            if path.is_symlink() and not path.is_file() and data == Path(ROOT_FOLDER):
                raise HostError(f"{path}: this link leads out of the folder, and root follows none")
            if path.is_file():
                yield PurePosixPath(path.relative_to(data).as_posix())


def _is_database(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(SQLITE_HEADER)) == SQLITE_HEADER


def _save_file(data: Path, target: Path, path: PurePosixPath) -> SavedFile:
    with rights_of_owner(data) as inside:
        source = (inside / path).open("rb")
    with source:
        _copy(source, target / path)
    return _saved(target, path)


def _save_database(data: Path, target: Path, path: PurePosixPath) -> SavedFile:
    copy = target / path
    make_folder(copy.parent)
    make_file(copy)
    with closing(sqlite3.connect(copy, isolation_level=None)) as saved:
        # Without a journal, SQLite needs no other file: nothing else is opened as the owner.
        saved.execute("PRAGMA journal_mode = OFF").fetchall()
        with rights_of_owner(data) as inside:
            uri = f"{(inside / path).absolute().as_uri()}?mode=ro"
            with closing(sqlite3.connect(uri, uri=True)) as live:
                live.backup(saved)
        saved.execute("PRAGMA journal_mode = DELETE").fetchall()  # the copy is one file
    _sync(copy)
    return _saved(target, path)


def _saved(target: Path, path: PurePosixPath) -> SavedFile:
    copy = target / path
    return SavedFile(path=str(path), bytes=copy.stat().st_size, sha256=_digest(copy))


def _check_database(path: Path) -> None:
    # An immutable file is opened without a lock and without a log beside it.
    uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(uri, uri=True)) as database:
            [(verdict,), *_] = database.execute("PRAGMA integrity_check").fetchall()
    except sqlite3.Error as error:
        verdict = str(error)
    if verdict != "ok":
        raise HostError(f"{path}: the database is damaged: {verdict}")


def _copy(source: BinaryIO, copy: Path) -> None:
    """Copy a file as a private one. A file that grows meanwhile is copied up to its length now."""
    make_folder(copy.parent)
    make_file(copy)
    with copy.open("wb") as target:
        left = os.fstat(source.fileno()).st_size
        while left and (block := source.read(min(BLOCK, left))):
            target.write(block)
            left -= len(block)
        target.flush()
        os.fsync(target.fileno())


def _sync(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _sync_folders(folder: Path) -> None:
    for root, _, _ in os.walk(folder):
        sync_folder(Path(root))


def _move(source: Path, target: Path, paths: Sequence[PurePosixPath]) -> int:
    for path in paths:
        make_folder((target / path).parent)
        (source / path).rename(target / path)
    return len(paths)


@contextmanager
def _unused(inside: Path, data: Path) -> Iterator[None]:
    """Hold the locks of a data folder, which is `data` in messages.

    Raises HostError if a program holds one of them.
    """
    with ExitStack() as stack:
        for path in sorted(inside.rglob("*.lock")):
            file = stack.enter_context(path.open("r+b"))
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                where = data / path.parent.relative_to(inside)
                raise HostError(f"{where}: a program uses this folder; stop it") from error
        yield
