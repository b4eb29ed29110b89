"""Logs the protocol between host and engines, in one text file per game, for engine authors.

A line has the seconds since the file was opened, the seat, the engine's name, a direction and the
text. The direction is `>` to the engine, `<` from the engine, or `!` for its stderr.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import Final

import structlog

from bot.engines.process import EngineProcess
from bot.matches.task import GameTask
from bot.time_source import TimeSource

MAX_BYTES: Final = 64 << 20
"""The maximum size of the file of one game; later lines are left out."""

log = structlog.get_logger()


@contextmanager
def logged_protocol(
    folder: Path | None,
    task: GameTask,
    processes: tuple[EngineProcess, EngineProcess],
    time: TimeSource,
) -> Iterator[None]:
    """Log all lines to and from both engines while the block runs, unless `folder` is None.

    A game that is played again is appended to its file. If the file cannot be written, the game
    continues without it, and the program's own log says so.
    """
    if folder is None:
        yield
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / file_name(task)).open("a", encoding="utf-8", buffering=1)
    except OSError as error:
        log.warning("protocol_not_logged", game=task.game_id, why=str(error))
        yield
        return
    protocol = _Protocol(file, task, time)
    try:
        for seat, process in enumerate(processes, start=1):
            process.watch_lines(partial(protocol.line, seat))
        yield
    finally:
        for process in processes:
            process.watch_lines(None)
        with suppress(OSError):
            file.close()


def file_name(task: GameTask) -> str:
    """The name `TOURNAMENT-NUMBER.log`, with only characters that a file name may have."""
    return re.sub(r"[^\w.-]", "_", task.game_id) + ".log"


class _Protocol:
    def __init__(self, file: TextIOWrapper, task: GameTask, time: TimeSource) -> None:
        self._file: TextIOWrapper | None = file
        self._task = task
        self._time = time
        self._began = time.monotonic()
        self._bytes = 0
        one, two = task.scheduled.seats
        self._write(f"# {time.wall().isoformat()} {task.game_id}: 1 {one}, 2 {two}\n")

    def line(self, seat: int, direction: str, text: str) -> None:
        name = self._task.scheduled.seats[seat - 1]
        seconds = self._time.monotonic() - self._began
        self._write(f"{seconds:10.3f} {seat} {name} {direction} {text}\n")

    def _write(self, line: str) -> None:
        if self._file is None:
            return
        self._bytes += len(line)
        try:
            if self._bytes > MAX_BYTES:
                self._file.write("# the rest is left out: the file is too large\n")
                self._file = None
            else:
                self._file.write(line)
        except OSError as error:
            log.warning("protocol_not_logged", game=self._task.game_id, why=str(error))
            self._file = None
