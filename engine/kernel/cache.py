"""The folder on disk that caches compiled kernels between runs.

Numba's disk cache checks only the file that defines a function, not the files of the functions that
it calls. So each version of the engine's sources, at each path, has its own folder, named after
their hash. The folder is in `BLUESTONE_CACHE_DIR` if that is set, else in the user's cache
directory. If the folder is not writable, the fallback is a copy in the temporary directory.

Numba unpickles what it finds in the folder, so whoever can write there runs code as this user. A
folder that another user could have changed is not used, with a warning: the fallback is then a new
folder, not a copy.

A program holds a shared lock on its folder until it ends. At its start it deletes folders of other
versions: those that no program has started with for a week, and the oldest ones while the total
size exceeds a limit. It deletes a folder only under an exclusive lock, so never one in use.
"""

import hashlib
import os
import re
import shutil
import stat
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import platformdirs

from engine.kernel.sources import FOLDER, sources_key

ENVIRONMENT: Final = "BLUESTONE_CACHE_DIR"
KEPT_S: Final = 7 * 24 * 3600
"""Seconds that a folder is kept after the last start of a program with its sources."""
_ROOT: Final = (0,)
MOST_BYTES: Final = 256 << 20
"""The limit on the total size of all folders; one folder has about 4 MB."""


@cache
def directory() -> Path:
    """Return the folder for this version of the sources. It exists and is writable."""
    return choose_directory(os.environ)


def choose_directory(environment: Mapping[str, str]) -> Path:
    """Find or create the folder that `directory` returns.

    Args:
        environment: Environment variables, read for `BLUESTONE_CACHE_DIR`.
    """
    folder = wanted_directory(environment)
    if danger := why_not_private(folder):
        warnings.warn(f"compiled code in {folder} is not used: {danger}", RuntimeWarning, 2)
    elif _take(folder):
        _prune(folder.parent, folder)
        return folder
    fallback = _private_temporary_root() / folder.name
    if not fallback.exists() and not danger and os.access(folder, os.R_OK):
        _copy_writable(folder, fallback)
    fallback.mkdir(exist_ok=True)
    return fallback


def wanted_directory(environment: Mapping[str, str]) -> Path:
    """Return the folder that is used if it can be written. Creates nothing.

    Args:
        environment: Environment variables, read for `BLUESTONE_CACHE_DIR`.
    """
    chosen = environment.get(ENVIRONMENT)
    root = (
        Path(chosen).expanduser().absolute()
        if chosen
        else Path(platformdirs.user_cache_dir("bluestone"))
    )
    return root / f"kernels-{_source_key()}"


def why_not_private(folder: Path, user: int | None = None) -> str:
    """Say which other users could have changed what is in a folder; empty if none could.

    Root may. So may this user's own group, if it has no other members. A folder above, such as
    /tmp, may be writable by all if they cannot rename each other's files there.

    Args:
        folder: A folder, which need not exist.
        user: Whose programs use it; None for this user.
    """
    if not hasattr(os, "getuid"):  # Windows
        return ""
    user = os.getuid() if user is None else user
    real = folder.resolve()
    for path in real.parents:
        if problem := _problem_of(path, user, is_above=True):
            return problem
    inside = real.rglob("*") if real.is_dir() else ()
    return next((why for path in (real, *inside) if (why := _problem_of(path, user))), "")


def _problem_of(path: Path, user: int, *, is_above: bool = False) -> str:
    try:
        found = path.lstat()
    except OSError:  # it is not there, or goes away
        return ""
    if found.st_uid not in (user, *_ROOT, *_unknown_users()):
        return f"{path} belongs to user {found.st_uid}"
    others = stat.S_IWOTH | (0 if _is_alone(user, found.st_gid) else stat.S_IWGRP)
    can_change = found.st_mode & others and not stat.S_ISLNK(found.st_mode)
    if can_change and not (is_above and found.st_mode & stat.S_ISVTX):
        return f"other users can write to {path}"
    return ""


@cache
def _unknown_users() -> tuple[int, ...]:
    """The user who seems to own root's files in a user namespace that has only our own user.

    The program that began the namespace, such as an engine's guardian, has looked at them.
    """
    with suppress(OSError, ValueError):
        first, _, number = map(int, Path("/proc/self/uid_map").read_text(encoding="utf-8").split())
        if (first, number) == (os.getuid(), 1):
            return (int(Path("/proc/sys/kernel/overflowuid").read_text(encoding="utf-8")),)
    return ()


@cache
def _is_alone(user: int, group: int) -> bool:
    """Whether it is root's group, or the user's own, as some systems give each, without others."""
    if group in _ROOT:
        return True
    try:
        import grp
        import pwd

        entry, members = pwd.getpwuid(user), grp.getgrgid(group).gr_mem
    except (ImportError, KeyError):
        return False
    return group == entry.pw_gid and set(members) <= {entry.pw_name}


def _copy_writable(source: Path, target: Path) -> None:
    """Copy a folder's files without their permissions, so that the copy is writable."""
    shutil.copytree(source, target, copy_function=shutil.copyfile, dirs_exist_ok=True)
    for folder in (target, *(path for path in target.rglob("*") if path.is_dir())):
        folder.chmod(0o700)


def use() -> None:
    """Make Numba cache compiled code in `directory`. Call this before any kernel is defined."""
    from numba import config

    settings: Any = config
    settings.CACHE_DIR = str(directory())


@contextmanager
def alone(lock: str) -> Iterator[None]:
    """Hold an exclusive lock between processes; wait while another process holds it.

    On Windows there is no lock.

    Args:
        lock: The name of the lock.
    """
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    with (directory() / f"{lock}.lock").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _source_key() -> str:
    digest = hashlib.sha256(sources_key(FOLDER).encode())
    digest.update(str(FOLDER).encode())  # Numba's cache depends on the path of the sources
    for part in (sys.version, version("numba"), version("numpy")):
        digest.update(part.encode())
    return digest.hexdigest()[:16]


def _take(folder: Path) -> bool:
    """Create the folder if it is missing, and lock it until the program ends.

    Returns:
        False if the folder is not writable.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        _hold(_lock_of(folder))
        folder.mkdir(exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
        os.utime(folder)
    except OSError:
        return False
    return True


def _lock_of(folder: Path) -> Path:
    """Return the folder's lock file, which is next to it.

    The lock file must exist before the folder and remain while the folder is deleted.
    """
    return folder.with_suffix(".lock")


def _hold(lock: Path) -> None:
    """Lock the file together with other users. The descriptor stays open until the program ends."""
    try:
        import fcntl
    except ImportError:  # Windows; _delete_unused never deletes there
        return
    while True:
        descriptor = os.open(lock, os.O_RDONLY | os.O_CREAT, 0o644)
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(descriptor), lock.stat()):
                return
        os.close(descriptor)  # another program deleted the file before we locked it


def _private_temporary_root() -> Path:
    """A folder that no other user can write to, because programs execute the cached code."""
    user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
    root = Path(tempfile.gettempdir()) / f"bluestone-kernels-{user}"
    with suppress(FileExistsError):  # anything may be there: others can guess the name
        root.mkdir(mode=0o700)
    found = root.lstat()
    mine = not hasattr(os, "getuid") or found.st_uid == os.getuid()
    if stat.S_ISDIR(found.st_mode) and mine and not found.st_mode & 0o022:
        return root
    return Path(tempfile.mkdtemp(prefix="bluestone-kernels-"))


def _prune(root: Path, current: Path) -> None:
    """Delete old folders of other sources. Another program may do the same at the same time."""
    folders: list[tuple[float, Path, int]] = []
    for path in root.iterdir():
        if re.fullmatch(r"kernels-[0-9a-f]{16}", path.name):
            with suppress(OSError):
                size = sum(file.stat().st_size for file in path.rglob("*"))
                folders.append((path.stat().st_mtime, path, size))
    total = sum(size for _, _, size in folders)
    kept_since = time.time() - KEPT_S
    for started, path, size in sorted(folders):
        is_wanted = started >= kept_since and total <= MOST_BYTES
        if path != current and not is_wanted and _delete_unused(path):
            total -= size


def _delete_unused(folder: Path) -> bool:
    """Delete a folder and its lock unless a program uses them; return whether it did."""
    try:
        import fcntl
    except ImportError:  # Windows: without locks the folder may be in use
        return False
    lock = _lock_of(folder)
    with suppress(OSError), lock.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
        lock.unlink()
        return True
    return False
