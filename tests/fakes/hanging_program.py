"""The `bluestone` command with a defect on demand, as `python -m tests.fakes.hanging_program`.

SIGUSR1 makes the event loop hang, and SIGUSR2 the next write to a database.
"""

import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from bot.arena.store.writer import Writer
from bot.cli import main
from bot.runtime.database import FileDatabase

HANGS = b"the event loop hangs\n"


def hang(*_: object) -> None:
    sys.stderr.buffer.write(HANGS)
    sys.stderr.buffer.flush()
    time.sleep(3600)


def hanging(work: Callable[..., Any], sound: threading.Event) -> Callable[..., Any]:
    def may_hang(*arguments: object) -> object:
        if not sound.is_set():
            threading.Event().wait()
        return work(*arguments)

    return may_hang


if __name__ == "__main__":
    is_sound = threading.Event()
    is_sound.set()
    signal.signal(signal.SIGUSR1, hang)
    signal.signal(signal.SIGUSR2, lambda *_: is_sound.clear())
    Writer._transaction = hanging(Writer._transaction, is_sound)  # type: ignore[method-assign]
    FileDatabase._commit = hanging(FileDatabase._commit, is_sound)  # type: ignore[method-assign]
    sys.exit(main())
