"""Files that commands write."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from bot.errors import HostError


@contextmanager
def output_file(path: Path | None) -> Iterator[TextIO]:
    """Stdout for None, else a file that appears under its name only once it is complete."""
    if path is None:
        yield sys.stdout
        return
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with unfinished.open("w", encoding="utf-8") as file:
            yield file
        unfinished.replace(path)
    except OSError as error:
        raise HostError(f"{path}: cannot be written: {error.strerror}") from error
    finally:
        unfinished.unlink(missing_ok=True)
