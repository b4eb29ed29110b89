"""Notations of other programs, which come by the door `bluestone.notations`.

The name of an entry is the `--format` of `bluestone records export` and `bluestone records import`.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from bot.errors import ConfigurationError
from bot.records.model import GameRecord
from bot.runtime.doors import Door

LARGEST_BYTES: Final = 4 << 20
"""The size to which a file is read. A longer text is refused by its notation."""


class NotWritten(ConfigurationError):
    """A record that a notation cannot express; the text says why."""


class Unplayable(ConfigurationError):
    """A notation that is no game by the rules; the text has the turn."""


Write = Callable[[GameRecord, datetime, int | None], str]
"""Return a record as text, with the end of its last line. The moment is that of the export.

The number is the ply of a notation that writes one position; None is the last one. Raises
NotWritten, and ConfigurationError for a ply that the game does not have.
"""
Read = Callable[[str, datetime, Any], Iterable[GameRecord | Unplayable]]
"""Return the games of a text in order, and why a game is left out. The moment is that of the
import, and the last argument has the fields of `Notation.options`.

Raises ConfigurationError for a text that is not in the notation.
"""


@dataclass(frozen=True, slots=True)
class Notation:
    """An entry of the door. Help texts are made of it, so importing its module must be quick.

    `writes` and `reads` say what the notation is in an export and in an import; they are empty if
    that does not work. `write` and `read` are a `Write` and a `Read` as `package.module:name`.
    `is_position` is set if it writes one position, at a ply. The usual notation of an import is the
    one that `is_usual`. `options` names a frozen dataclass, whose fields become options of an
    import by their `cyclopts.Parameter`.
    """

    writes: str = ""
    write: str = ""
    is_position: bool = False
    reads: str = ""
    read: str = ""
    is_usual: bool = False
    options: str = ""


NOTATIONS: Final[Door[Notation]] = Door("bluestone.notations", "notation", Notation)
