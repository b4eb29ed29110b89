"""Where compiled kernels are kept between runs.

Numba's disk cache looks only at the file that a function stands in, not at those it calls into; so
each state of the engine's sources, at each place, gets a folder of its own, named by their hash.
The folder lies in the user's cache directory, or in `BLUESTONE_CACHE_DIR` if that is set. Where
neither can be written, a copy in the temporary directory serves.
"""

import hashlib
import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import platformdirs

ENVIRONMENT: Final = "BLUESTONE_CACHE_DIR"
KEPT: Final = 4
"""How many states of the sources keep their folder; older ones are deleted."""


@cache
def directory() -> Path:
    """The folder for this state of the sources; it exists and can be written."""
    return choose_directory(os.environ)


def choose_directory(environment: Mapping[str, str]) -> Path:
    """Find, and make if need be, the folder that `directory` gives."""
    chosen = environment.get(ENVIRONMENT)
    root = (
        Path(chosen).expanduser().absolute()
        if chosen
        else Path(platformdirs.user_cache_dir("bluestone"))
    )
    folder = root / f"kernels-{_source_key()}"
    if _writable(folder):
        os.utime(folder)
        _prune(root, folder)
        return folder
    fallback = _private_temporary_root() / folder.name
    if not fallback.exists() and os.access(folder, os.R_OK):
        _copy_writable(folder, fallback)
    fallback.mkdir(exist_ok=True)
    return fallback


def _copy_writable(source: Path, target: Path) -> None:
    """Copy a folder's files, but not that nobody may write there."""
    shutil.copytree(source, target, copy_function=shutil.copyfile, dirs_exist_ok=True)
    for folder in (target, *(path for path in target.rglob("*") if path.is_dir())):
        folder.chmod(0o700)


def use() -> None:
    """Have Numba keep compiled code in `directory`; to be called before any kernel is defined."""
    from numba import config

    settings: Any = config
    settings.CACHE_DIR = str(directory())


@contextmanager
def alone(lock: str) -> Iterator[None]:
    """Wait until no other process is in a block of that name."""
    try:
        import fcntl
    except ImportError:  # there is none on Windows
        yield
        return
    with (directory() / f"{lock}.lock").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def save_alone(dispatcher: Any) -> None:  # noqa: ANN401  # its type tells nothing of its cache
    """Have what Numba compiles of a function be kept by one process at a time.

    Numba numbers the files of compiled versions, by a list that it reads, adds to and writes back.
    Two processes that do so at once choose the same number; from then on whoever calls the one
    version gets the other, made for other arguments. What cannot be kept, on a full disk or with a
    lock of somebody else's, is compiled again by the next process.
    """
    kept = dispatcher._cache  # noqa: SLF001  # Numba has no other way
    save = kept.save_overload

    def save_overload(*version: object) -> None:
        with suppress(OSError), alone("saving"):
            save(*version)

    kept.save_overload = save_overload


def _source_key() -> str:
    digest = hashlib.sha256()
    here = Path(__file__).parents[1]
    digest.update(str(here).encode())  # Numba keeps another copy for sources at another place
    for path in sorted(here.rglob("*.py")):
        digest.update(f"{path.relative_to(here).as_posix()}\0".encode())
        digest.update(path.read_bytes())
    for part in (sys.version, version("numba"), version("numpy")):
        digest.update(part.encode())
    return digest.hexdigest()[:16]


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


def _private_temporary_root() -> Path:
    """A folder that nobody else can put code into: whatever is cached will be executed."""
    user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
    root = Path(tempfile.gettempdir()) / f"bluestone-kernels-{user}"
    root.mkdir(mode=0o700, exist_ok=True)
    found = root.lstat()
    mine = not hasattr(os, "getuid") or found.st_uid == os.getuid()
    if stat.S_ISDIR(found.st_mode) and mine and not found.st_mode & 0o022:
        return root
    return Path(tempfile.mkdtemp(prefix="bluestone-kernels-"))


def _prune(root: Path, current: Path) -> None:
    """Delete what older sources left behind; another process may be doing the same."""
    others: list[tuple[float, Path]] = []
    for path in root.iterdir():
        if path != current and re.fullmatch(r"kernels-[0-9a-f]{16}", path.name):
            with suppress(OSError):
                others.append((path.stat().st_mtime, path))
    for _, path in sorted(others)[: 1 - KEPT]:
        shutil.rmtree(path, ignore_errors=True)
