"""The box of an engine: which files it may use, what it may consume, and its environment.

`bot.runtime.confinement` has what the kernel enforces, and why it is done in that way.
"""

# What an engine may read
#
# The problem. Most engines must work without any configuration: a binary with a file of weights
# next to it, a Python script in a virtual environment, a Java archive. And none may read a token,
# the journal, or ~/.ssh. Landlock has only a list of what is allowed.
#
# The idea. The command says what belongs to the engine.
#
# - The system's programs and libraries can be read, and those files of /etc that libraries read.
# - The folder of the program, and that of each file that its command names, can be read. If the
#   program lies in a virtual environment, or belongs to a Python, that whole tree can be read.
# - A folder that holds much else (a home folder, /tmp, /opt) does not count as the engine's. Of
#   that, only the named file itself can be read.
# - What the bot protects (`protect`: its data, its tokens, its settings) is left out even if it
#   lies in such a folder. Landlock knows no exceptions, so then each other entry of the folder is
#   allowed by itself.
# - It can write to its scratch folder only. That is its HOME and TMPDIR, and it is removed.
#
# Rejected:
#
# - To allow everything but a list of secrets: the next secret is not in the list.
# - To make the box optional. Nobody turns on what is not needed for the first game.
# - To let every engine write to the cache of compiled kernels. The bot runs what is in there.

import errno
import fcntl
import os
import secrets
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from bot.engines.spec import EngineSpec, SandboxSettings
from engine import warming

MB: Final = 1 << 20
USUAL_MEMORY_MB: Final = 4096
PART_OF_MEMORY: Final = 0.8
LEAST_TASKS: Final = 512
OWN: Final = frozenset({"search", "random"})
"""The built-in engines. Only they write to the cache of compiled code."""
SCRATCH: Final = "bluestone-engine-"
SHIMS: Final = "shims"
"""Programs in such a folder, of pyenv and its like, start others beside that folder."""
SWEPT_AFTER_S: Final = 3600.0

SYSTEM: Final = (
    *("/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin", "/nix/store", "/gnu/store"),
    *("/proc", "/sys"),
    *(
        f"/etc/{name}"
        for name in (
            *("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "ld.so.preload", "alternatives"),
            *("localtime", "timezone", "nsswitch.conf", "passwd", "group", "hosts", "host.conf"),
            *("os-release", "locale.alias", "ssl/certs", "ssl/openssl.cnf", "pki/tls/certs"),
            *("ca-certificates", "mime.types", "OpenCL", "vulkan", "glvnd", "fonts"),
            *("resolv.conf", "gai.conf", "services", "protocols"),
        )
    ),
    *map(str, Path("/etc").glob("java*")),
    *map(str, Path("/etc").glob("python3*")),
)
DEVICES: Final = (
    *(f"/dev/{name}" for name in ("null", "full", "random", "urandom", "dri", "kfd")),
    *map(str, Path("/dev").glob("nvidia*")),
)
SHARED_MEMORY: Final = Path("/dev/shm")  # noqa: S108
GPUS: Final = tuple(Path("/dev") / name for name in ("nvidiactl", "kfd"))
HOMES: Final = ("HOME", "TMPDIR")

PIPE_BYTES: Final = 65_536
"""What a pipe of Linux holds at first; it can be made larger, up to a megabyte."""
WHOLES: Final = ("--read", "--write")

_protected: set[Path] = set()


def protect(*paths: Path) -> None:
    """No engine that starts from now on can read these files and folders."""
    _protected.update(path.resolve() for path in paths)


def sweep() -> None:
    """Remove scratch folders of programs that are gone; their guardians were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{SCRATCH}*-*"):
        pid = folder.name.removeprefix(SCRATCH).partition("-")[0]
        with suppress(OSError):
            is_old = time.time() - folder.lstat().st_mtime > SWEPT_AFTER_S
            if is_old and pid.isdecimal() and not Path(f"/proc/{pid}").exists():
                shutil.rmtree(folder, ignore_errors=True)


@dataclass(frozen=True)
class Box:
    words: list[str]
    """The guardian's limits."""
    environment: dict[str, str]

    @contextmanager
    def limits(self) -> Iterator[tuple[int, ...]]:
        """The descriptor from which the guardian reads its limits; none without limits.

        On a command line `ps` would show every path. A file would need room on a disk, and engines
        must also start while it is full. Raises OSError if no pipe can hold the limits.
        """
        if not self.words:
            yield ()
            return
        text = b"".join(os.fsencode(word) + b"\0" for word in self.words)
        reading, writing = os.pipe()
        try:
            try:
                _fill(writing, text)
            finally:
                os.close(writing)
            yield (reading,)
        finally:
            os.close(reading)


def _fill(pipe: int, text: bytes) -> None:
    """Write all of the text into a pipe that nobody reads yet. Raises OSError."""
    os.set_blocking(pipe, False)
    if len(text) > PIPE_BYTES and hasattr(fcntl, "F_SETPIPE_SZ"):
        with suppress(OSError):
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, len(text))
    if os.write(pipe, text) != len(text):
        raise OSError(errno.E2BIG, "too many files to list for its box")


def box_of(spec: EngineSpec) -> Box:
    """The box for one start of the engine."""
    environment, settings = spec.environment(), spec.sandbox
    if not settings.enabled:
        return Box([], environment)
    scratch = str(
        Path(tempfile.gettempdir()).resolve() / f"{SCRATCH}{os.getpid()}-{secrets.token_hex(6)}"
    )
    environment |= {name: scratch for name in HOMES if name not in spec.env}
    if warming.compiles_here():
        environment.setdefault("BLUESTONE_CACHE_DIR", str(warming.used_cache_folder().parent))
    words = [
        f"--scratch={scratch}",
        f"--memory={memory_mb(spec) * MB}",
        f"--tasks={settings.tasks or _usual_tasks()}",
        f"--disk={settings.disk_mb * MB}",
        f"--nice={settings.nice}",
        *([f"--cpus={settings.cpus}"] if settings.cpus else []),
        *(["--network"] if settings.network else []),
        *(["--shared", "--use=/dev/zero"] if _may_share_memory(settings) else []),
        *(f"--use={path}" for path in DEVICES),
        *(f"--write={path}" for path in [scratch, *map(os.path.realpath, settings.write)]),
        *_needed(
            [
                *(_cache_rules(spec) if warming.compiles_here() else ()),
                *(_read(folder) for folder in [warming.library_folder()] if folder),
                *_system(),
                *map(_read, settings.read),
                *_own_files(spec, environment),
            ]
        ),
    ]
    return Box(words, environment)


def memory_mb(spec: EngineSpec) -> int:
    """The limit in MB. By default it leaves room for the engine's option `Hash`."""
    if spec.sandbox.memory_mb is not None:
        return spec.sandbox.memory_mb
    sizes = [text for name, text in spec.options.items() if name.lower() == "hash"]
    hashed = int(sizes[0]) if sizes and sizes[0].isdecimal() else 0
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // MB
    return min(USUAL_MEMORY_MB + hashed, int(machine * PART_OF_MEMORY))


def _may_share_memory(settings: SandboxSettings) -> bool:
    """Whether it may have memory that the guardian cannot always see, by the operator's word, or
    because a driver needs it.
    """
    is_allowed = any(SHARED_MEMORY.is_relative_to(path) for path in settings.write)
    return is_allowed or any(path.exists() for path in GPUS)


def _usual_tasks() -> int:
    return max(LEAST_TASKS, 4 * (os.cpu_count() or 1))


@cache
def _system() -> tuple[str, ...]:
    return tuple(map(_read, SYSTEM))


def _read(path: str | Path) -> str:
    return f"--read={os.path.realpath(path)}"


def _cache_rules(spec: EngineSpec) -> Iterator[str]:
    folder = warming.used_cache_folder().resolve()
    if spec.is_builtin and spec.builtin in OWN:
        yield f"--write={folder.parent}"
    else:
        yield f"--read={folder}"
        yield f"--read={folder.with_suffix('.lock')}"


def _needed(words: Iterable[str]) -> Iterator[str]:
    """Leave out what lies in a folder that may be read as a whole. All paths are resolved."""
    words = dict.fromkeys(words)
    wholes = {path for word in words for kind, _, path in [word.partition("=")] if kind in WHOLES}

    @cache
    def is_whole(folder: str) -> bool:
        return folder in wholes or (folder != "" and is_whole(folder.rpartition("/")[0]))

    for word in words:
        kind, _, path = word.partition("=")
        holder = path if kind == "--list" else path.rpartition("/")[0]
        if kind == "--write" or not is_whole(holder):
            yield word


# ---- the files of the engine -------------------------------------------------------------------


def _own_files(spec: EngineSpec, environment: Mapping[str, str]) -> Iterator[str]:
    start = (spec.directory or Path()).absolute()
    program = _program(spec.argv[0], start, environment)
    if spec.directory is not None:
        yield from _folder(start)
    yield from _of_program(program)
    for word in spec.argv[1:]:
        path = Path(os.path.normpath(start / word.rpartition("=")[2]))
        if path.is_file():
            yield from _of_file(path)
        elif path.is_dir() and path != start:
            yield from _folder(path)
    places = environment.get("PYTHONPATH", "").split(os.pathsep)
    if program.resolve() == Path(sys.executable).resolve():
        places += sys.path
    for place in places:
        if place:
            yield from _packages(str(start / place))


def _program(word: str, start: Path, environment: Mapping[str, str]) -> Path:
    if "/" in word:
        return start / word
    return Path(shutil.which(word, path=environment.get("PATH")) or start / word)


def _of_program(program: Path, *, is_script: bool = True) -> Iterator[str]:
    for path in dict.fromkeys((program, program.resolve())):
        prefix = path.parent.parent
        if path.parent.name == "bin" and _is_prefix(prefix):
            yield _read(prefix)
            yield _read((prefix / "bin" / "python3").resolve().parent.parent)
        else:
            yield from _of_file(path)
            if path.parent.name == SHIMS:
                yield from _folder(prefix)
    if is_script and (interpreter := _interpreter(program)):
        yield from _of_program(interpreter, is_script=False)


def _interpreter(program: Path) -> Path | None:
    """The program in the first line of a script."""
    try:
        with program.open("rb") as file:
            line = file.readline(256)
    except OSError:
        return None
    words = line[2:].decode(errors="replace").split() if line.startswith(b"#!") else []
    return Path(words[0]) if words else None


def _is_prefix(folder: Path) -> bool:
    """Whether a whole Python lies there, or a virtual environment."""
    marks = ("pyvenv.cfg", "conda-meta", "lib/python3*/os.py")
    return not _is_broad(folder) and any(any(folder.glob(mark)) for mark in marks)


def _of_file(path: Path) -> Iterator[str]:
    yield _read(path)
    yield from _folder(path.parent)


def _is_broad(folder: Path) -> bool:
    """Whether it is a folder for all kinds of things, which does not belong to one engine."""
    home, shared = _home(), Path(tempfile.gettempdir()).resolve()
    folder = folder.resolve()
    return len(folder.parts) <= 2 or folder == shared or folder in (home, *home.parents)


def _home() -> Path:
    try:
        return Path.home().resolve()
    except RuntimeError:  # a service's user may have neither HOME nor an entry in /etc/passwd
        return Path("/")


def _folder(folder: Path) -> Iterator[str]:
    """The folder of an engine, without what is protected."""
    if _is_broad(folder):
        return
    real = folder.resolve()
    if any(real.is_relative_to(path) for path in _protected):
        return
    tokens = {path.resolve() for path in real.glob("*.token")}
    hidden = [path for path in _protected | tokens if path.is_relative_to(real)]
    yield from _without(real, hidden)


def _without(folder: Path, hidden: Iterable[Path]) -> Iterator[str]:
    inside = [path for path in hidden if path.is_relative_to(folder)]
    if folder in inside:
        return
    if not inside:
        yield f"--read={folder}"
        return
    yield f"--list={folder}"
    for entry in sorted(folder.iterdir()):
        if not entry.is_symlink():  # it could lead anywhere
            yield from _without(entry, inside)


@cache
def _packages(place: str) -> tuple[str, ...]:
    """The Python modules in an entry of `sys.path`, which may be the folder of a whole project."""
    folder = Path(os.path.realpath(place))
    if not folder.is_dir():
        return (_read(folder),) if folder.is_file() else ()
    modules = [
        path
        for path in sorted(folder.iterdir())
        if path.suffix in {".py", ".so", ".pth", ".dist-info", ".egg-info"}
        or (path / "__init__.py").is_file()
    ]
    return (f"--list={folder}", *map(_read, modules))
