"""The processes of a scene, found by a mark in their environment, whoever their parent is."""

import asyncio
import secrets
import time
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

PROC: Final = Path("/proc")
VARIABLE: Final = "BLUESTONE_SCENE"
GONE_S: Final = 20.0
POLL_S: Final = 0.05
PARENT: Final = 1
"""The place of the parent in `/proc/PID/stat` after the program's name, see proc(5)."""


@dataclass(frozen=True)
class Marked:
    """The mark of one scene."""

    mark: str = field(default_factory=lambda: secrets.token_hex(8))

    @property
    def environ(self) -> dict[str, str]:
        return {VARIABLE: self.mark}

    def all(self) -> dict[int, str]:
        """Return the command lines of all processes with the mark. Processes that have ended and
        wait for their parent have no environment any more.
        """
        wanted = f"{VARIABLE}={self.mark}".encode()
        found = {}
        for folder in PROC.glob("[0-9]*"):
            with suppress(OSError):  # it has ended, or is another user's
                if wanted in (folder / "environ").read_bytes().split(b"\0"):
                    command = (folder / "cmdline").read_bytes().replace(b"\0", b" ")
                    found[int(folder.name)] = command.decode(errors="replace").strip()
        return found

    async def left_behind(self, roots: Collection[int], most: int) -> list[str]:
        """Return processes that do not descend from `roots`, or all if there are more than `most`.

        They have some seconds to end.
        """
        deadline = time.monotonic() + GONE_S
        while True:
            found = self.all()
            lost = {pid: said for pid, said in found.items() if not _descends(pid, roots)}
            if not lost and len(found) <= most:
                return []
            if time.monotonic() > deadline:
                what = lost or found
                return [f"process {pid} is left behind: {said}" for pid, said in what.items()]
            await asyncio.sleep(POLL_S)


def _descends(pid: int, roots: Collection[int]) -> bool:
    while pid not in roots:
        try:
            fields = (PROC / str(pid) / "stat").read_text().rpartition(") ")[2].split()
        except OSError:
            return True  # it has ended just now
        pid = int(fields[PARENT])
        if pid <= 1:
            return False
    return True
