"""A limit of memory for programs of a test, as systemd and containers set it."""

import os
import shlex
import signal
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.skipping import skip

ROOT: Final = Path("/sys/fs/cgroup")
END_S: Final = 10.0
POLL_S: Final = 0.05


@dataclass(frozen=True)
class MemoryLimit:
    """A control group with a limit of memory. If its programs need more, the kernel kills one."""

    folder: Path
    is_version_2: bool

    def around(self, command: Sequence[str]) -> list[str]:
        """The command, inside the group from its start."""
        procs = shlex.quote(str(self.folder / "cgroup.procs"))
        return ["sh", "-c", f'echo $$ > {procs}; exec {shlex.join(command)} "$@"', "sh"]

    @property
    def killed(self) -> int:
        """How many processes the kernel has killed."""
        file = "memory.events" if self.is_version_2 else "memory.oom_control"
        lines = (line.split() for line in (self.folder / file).read_text().splitlines())
        return next(int(number) for name, number in lines if name == "oom_kill")

    @property
    def peak_mb(self) -> float:
        """The most memory that the programs had at once, with the files that the kernel kept."""
        file = "memory.peak" if self.is_version_2 else "memory.max_usage_in_bytes"
        return int((self.folder / file).read_text()) / 1e6


@contextmanager
def memory_limit(most_bytes: int) -> Iterator[MemoryLimit]:
    """A group for programs of a test, which must have ended after it. Skips where none is made."""
    is_version_2 = (ROOT / "cgroup.controllers").exists()
    folder = (ROOT if is_version_2 else ROOT / "memory") / f"bluestone-test-{uuid.uuid4().hex[:8]}"
    try:
        folder.mkdir()
    except OSError as error:
        skip(f"no control group can be made: {error}")
    try:
        file = "memory.max" if is_version_2 else "memory.limit_in_bytes"
        try:
            (folder / file).write_text(str(most_bytes))
        except OSError as error:
            skip(f"memory cannot be limited here: {error}")
        yield MemoryLimit(folder, is_version_2)
    finally:
        _remove(folder)


def _remove(folder: Path) -> None:
    """Remove the group, once what a killed program has left in it has ended."""
    deadline = time.monotonic() + END_S
    while True:
        for process in (folder / "cgroup.procs").read_text().split():
            with suppress(ProcessLookupError):
                os.kill(int(process), signal.SIGKILL)
        try:
            folder.rmdir()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(POLL_S)
        else:
            return
