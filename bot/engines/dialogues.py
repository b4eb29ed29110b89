"""Protocols of engines other than UGI. They come by the door `bluestone.dialogues`.

The name of an entry is the `protocol` in the settings of an engine, and the word before its command
or address on a command line, as in `six:COMMAND`.
"""

from dataclasses import dataclass
from typing import Final

from bot.errors import ConfigurationError
from bot.runtime.doors import Door

UGI: Final = "ugi"


@dataclass(frozen=True, slots=True)
class EngineProtocol:
    """An entry of the door. Settings are read with it, so importing its module must be quick.

    `usage` shows how such an engine is written on a command line, as `six:COMMAND`. `only_game` is
    the game that the protocol can play. An engine that `has_address` is a server with a `url`, not
    a program with a `command`.

    The others are functions and classes as `package.module:name`, which are imported when they are
    needed. `opened` is an `EngineOpener` of `bot.engines.process`, `checked` an `EngineCheck` of
    `bot.engines.check.script`. `engine_side` is a subclass of `engine.ugi.dialogue.HostDialogue`,
    with which our own engines speak the protocol; None if they cannot.
    """

    usage: str
    only_game: str
    has_address: bool
    opened: str
    checked: str
    engine_side: str | None = None


DIALOGUES: Final[Door[EngineProtocol]] = Door(
    "bluestone.dialogues", "protocol of engines", EngineProtocol
)


def protocol_names() -> list[str]:
    """Return the names of all protocols, UGI first."""
    return [UGI, *(name for name in DIALOGUES.names if name != UGI)]


def protocol_of(word: str) -> str | None:
    """Return the protocol before the colon of `six:COMMAND`; None if it is not such a word."""
    name, colon, _ = word.partition(":")
    return name if colon and name in DIALOGUES.names else None


def protocols_with_address() -> list[str]:
    """Return the names of the protocols whose engines are servers with a `url`."""
    return [name for name, each in DIALOGUES.usable().items() if each.has_address]


def usages() -> str:
    """Return how engines of other protocols are written, as the end of a list in a help text."""
    *first, last = ["", *(each.usage for each in DIALOGUES.usable().values())]
    return f"{', '.join(first)} or {last}" if first else ""


def check_protocol(name: str) -> None:
    """Raise ValueError if the protocol is not UGI and its entry cannot be imported."""
    if name != UGI:
        try:
            DIALOGUES.load(name)
        except ConfigurationError as error:
            raise ValueError(str(error)) from error
