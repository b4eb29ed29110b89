"""Output of commands: tables and text, JSON for programs, files, and notes on stderr."""

import io
import os
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, TextIO

import orjson
from cyclopts import Parameter
from rich.console import Console, ConsoleOptions, JustifyMethod, RenderableType
from rich.segment import Segment

from bot.errors import HostError
from bot.runtime.terminals import LINES, shown_lines

Json = Annotated[bool, Parameter(name="--json", negative="", help="print JSON")]
"""The option of a command that can print JSON instead of text."""


@contextmanager
def output_file(path: Path | None) -> Iterator[TextIO]:
    """Open stdout for None, otherwise a file that gets its name only when it is complete."""
    if path is None:
        yield _data_output()
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
"""The greatest width of tables in a pipe or a file, which have no width of their own."""


class _HarmlessConsole(Console):
    """A console that texts cannot steer: records and servers may have names with escape codes."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterator[Segment]:
        for segment in super().render(renderable, options):
            if segment.control or segment.text.isprintable():
                yield segment
            else:
                text = segment.text.translate(_REPLACED)
                yield Segment(text, segment.style)


_REPLACED = dict.fromkeys(LINES, "\N{REPLACEMENT CHARACTER}")


def text_console() -> Console:
    """Return a console on stdout, with styles only on a terminal."""
    console = _HarmlessConsole(highlight=False, emoji=False, markup=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = _WIDTH_OF_A_FILE
    return console


def error_console() -> Console:
    """Return a console on stderr, for progress and notes that are not part of the result."""
    return _HarmlessConsole(stderr=True, highlight=False, emoji=False, markup=False)


def plain(text: str) -> str:
    """Remove control characters, which a terminal would obey, from a text of another program.

    Spaces of every kind, such as the no-break space, become usual ones.
    """
    return "".join(each if each.isprintable() else _printable(each) for each in text)


def _printable(character: str) -> str:
    is_space = unicodedata.category(character) == "Zs"
    return " " if is_space else "\N{REPLACEMENT CHARACTER}"


def print_table(
    head: Sequence[str], rows: Sequence[Sequence[str]], *, are_numbers: bool = True
) -> None:
    """Print rows under a head on stdout. All columns but the first are aligned to the right, unless
    they are texts.
    """
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for place, title in enumerate(head):
        table.add_column(title, justify="right" if place and are_numbers else "left")
    for row in rows:
        table.add_row(*row)
    text_console().print(table)


def print_list(head: Sequence[str], rows: Sequence[Sequence[str]], *, number: str) -> None:
    """Print rows, of which there may be many, under a head. The column `number` is on the right.

    Rich takes milliseconds for a row, so it only gets rows that must be wrapped: those that are
    wider than a terminal. A pipe and a file get one line per row.
    """
    from rich.cells import cell_len
    from rich.table import Table

    console = text_console()
    cells = [[plain(cell) for cell in row] for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(head, *cells, strict=True)]
    if console.is_terminal and sum(widths) + 2 * len(widths) > console.width:
        table = Table(box=None, pad_edge=False)
        for place, title in enumerate(head):
            justify: JustifyMethod = "right" if title == number else "left"
            table.add_column(title, justify=justify, no_wrap=place < 2)
        for row in cells:
            table.add_row(*row)
        console.print(table)
        return
    at = head.index(number)
    for texts in ([*head], *cells):
        padded = [
            cell + " " * (width - cell_len(cell)) for cell, width in zip(texts, widths, strict=True)
        ]
        padded[at] = texts[at].rjust(widths[at])
        print("  ".join(padded).rstrip())


def print_json(value: object) -> None:
    """Print one JSON document on stdout, ended by a line break."""
    options = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE | orjson.OPT_NON_STR_KEYS
    _data_output().write(orjson.dumps(value, option=options).decode())


def _data_output() -> TextIO:
    """Stdout for data, which is UTF-8 whatever the terminal's encoding is."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="strict")
    return sys.stdout


def note(message: str) -> None:
    """Print a message on stderr."""
    print(f"bluestone: {shown_lines(message)}", file=sys.stderr)


def only_errors_logged() -> None:
    """Log only errors. This is for commands that report failures themselves."""
    from bot.runtime.logs import configure_logging

    configure_logging("error", stream=sys.stderr)
