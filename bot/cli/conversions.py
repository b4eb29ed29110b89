"""`bluestone records export` and `import`: games in the notations of other programs.

The notations come by a door, except for our own records and SGF.
"""

from contextlib import ExitStack
from dataclasses import dataclass, make_dataclass
from datetime import UTC, datetime
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Annotated, Final, Literal

from cyclopts import Parameter

from bot.cli.records import DEFAULT_DATA, Data, File, Ids, chosen_records
from bot.errors import ConfigurationError
from bot.records.jsonl import DamagedLine
from bot.records.model import GameRecord
from bot.records.notations import LARGEST_BYTES, NOTATIONS, NotWritten, Read, Write
from bot.records.source import record_source
from bot.runtime.output import note, output_file

_KNOWN: Final = NOTATIONS.usable()
_WRITTEN: Final = {name: each.writes for name, each in _KNOWN.items() if each.writes}
_READ: Final = {name: each.reads for name, each in _KNOWN.items() if each.reads}
_USUAL: Final = min(_READ, key=lambda name: not _KNOWN[name].is_usual, default="")
_POSITIONS: Final = [name for name, each in _KNOWN.items() if each.is_position]

if TYPE_CHECKING:
    Written = str
    ToRead = str

    @dataclass(frozen=True)
    class ReadOptions:
        """The further options of all notations that are read."""
else:
    Written = Literal[("jsonl", "sgf", *_WRITTEN)]
    ToRead = Literal[tuple(_READ)] if _READ else str
    _BASES: Final = tuple(resolve_name(each.options) for each in _KNOWN.values() if each.options)
    # cyclopts takes a class of the module `types` for a value.
    _OURS: Final = {"__module__": __name__}
    ReadOptions = make_dataclass("ReadOptions", [], bases=_BASES, namespace=_OURS, frozen=True)


def _in_words(notations: dict[str, str]) -> str:
    return "; ".join(f"{name}: {what}" for name, what in notations.items())


def export(
    ids: Ids = (),
    *,
    to_format: Annotated[
        Written,
        Parameter(
            name="--format",
            help=_in_words(
                {"jsonl": "Bluestone's records, one per line", "sgf": "an SGF collection"}
                | _WRITTEN
            ),
        ),
    ] = "jsonl",
    ply: Annotated[
        int | None,
        Parameter(help="of a format with one position: after this many turns, not the last one"),
    ] = None,
    data: Data = DEFAULT_DATA,
    file: File = None,
    output: Annotated[Path | None, Parameter(help="write to this file instead of stdout")] = None,
) -> int:
    """Export games in a format for other programs. The exit code is 1 if lines were skipped."""
    if ply is not None and to_format not in _POSITIONS:
        formats = " or ".join(_POSITIONS) or "none that is installed"
        raise ConfigurationError(f"--ply: only --format {formats} writes a position")
    write, now = _writer(to_format), datetime.now(UTC)
    damaged: list[DamagedLine] = []
    records = chosen_records(record_source(data, file), ids, into=damaged)
    with ExitStack() as stack:
        target = stack.enter_context(output_file(output))
        for record in records:
            try:
                target.write(write(record, now, ply))
            except NotWritten as reason:
                note(f"{record.id}: left out: {reason}")
    return int(bool(damaged))


def _writer(name: str) -> Write:
    if name == "jsonl":
        return lambda record, _, __: record.model_dump_json() + "\n"
    if name == "sgf":
        from bot.records.sgf import sgf_game

        return lambda record, _, __: sgf_game(record)
    write: Write = resolve_name(NOTATIONS.load(name).write)
    return write


def import_games(
    files: Annotated[tuple[Path, ...], Parameter(name="FILE", help="files of games")],
    /,
    *,
    from_format: Annotated[ToRead, Parameter(name="--format", help=_in_words(_READ))] = _USUAL,
    options: Annotated[ReadOptions, Parameter(name="*")] = ReadOptions(),  # noqa: B008  (frozen)
    output: Annotated[Path | None, Parameter(help="write to this file instead of stdout")] = None,
) -> int:
    """Convert games of other programs to records, one per line.

    The exit code is 1 if a game cannot be played by the rules; the others are converted.
    """
    read: Read = resolve_name(NOTATIONS.load(from_format).read)
    now, refused = datetime.now(UTC), 0
    with ExitStack() as stack:
        target = stack.enter_context(output_file(output))
        for path in files:
            text = _text_of(path)
            try:
                for number, game in enumerate(read(text, now, options), start=1):
                    if isinstance(game, GameRecord):
                        target.write(game.model_dump_json() + "\n")
                    else:
                        note(f"{path}: game {number} is left out: {game}")
                        refused += 1
            except ConfigurationError as error:
                raise ConfigurationError(f"{path}: {error}") from error
    return int(refused > 0)


def _text_of(path: Path) -> str:
    """The text of a file. Raises ConfigurationError."""
    try:
        with path.open("rb") as file:
            text = file.read(LARGEST_BYTES + 1).decode("utf-8-sig")
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path}: is not UTF-8: {error.reason}") from error
    if not text.strip():
        raise ConfigurationError(f"{path}: the file is empty")
    return text
