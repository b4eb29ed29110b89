"""What commands write: tables and text on a terminal, JSON for programs, files, notes on stderr."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import orjson
from rich.console import Console

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


_WIDTH_OF_A_FILE = 140
"""A pipe or a file has no width; tables are then this wide at most."""


def text_console() -> Console:
    """Writes to stdout; with styles only where it is a terminal."""
    console = Console(highlight=False, emoji=False, markup=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = _WIDTH_OF_A_FILE
    return console


def error_console() -> Console:
    """Writes to stderr: progress, and notes that are no part of the result."""
    return Console(stderr=True, highlight=False, emoji=False, markup=False)


def plain(text: str) -> str:
    """Without characters that a terminal would obey: for what others have written."""
    return "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in text)


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Rows under a head on stdout; all columns but the first are aligned to the right."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for place, title in enumerate(head):
        table.add_column(title, justify="right" if place else "left")
    for row in rows:
        table.add_row(*row)
    text_console().print(table)


def print_json(value: object) -> None:
    """One JSON document on stdout, ended by a line break."""
    options = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE | orjson.OPT_NON_STR_KEYS
    sys.stdout.write(orjson.dumps(value, option=options).decode())


def note(message: str) -> None:
    """Something that a person should know, on stderr."""
    print(f"bluestone: {message}", file=sys.stderr)


def only_errors_logged() -> None:
    """For commands that a person watches, and that report failures themselves."""
    from bot.runtime.logs import configure_logging

    configure_logging("error", stream=sys.stderr)
