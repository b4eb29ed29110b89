"""Kinds of values in settings files, checked before anything is done with them."""

import unicodedata
from pathlib import Path
from typing import Annotated, Final
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

import engine

SCHEMES: Final = ("http", "https", "ws", "wss")
VARIABLE_NAME: Final = r"^[A-Za-z_][A-Za-z0-9_]*$"
HOST: Final = r"^[A-Za-z0-9_.:%\-]+$"
EVENT_NAME: Final = r"^[\w .'\-]+$"
PATTERNS: Final = {
    HOST: "the name or the address of a machine is needed",
    VARIABLE_NAME: "the name of an environment variable is needed",
    EVENT_NAME: "only letters, digits, blanks and the characters . _ - ' are possible here",
}
"""What a pattern means, in words."""


class Table(BaseModel):
    """A table of a settings file: no other keys, and no changes afterwards."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def _one_line(text: str) -> str:
    if any(unicodedata.category(character) == "Cc" for character in text):
        raise ValueError("a line break or another control character is not possible here")
    return text


def _no_nul(text: str) -> str:
    if "\0" in text:
        raise ValueError("the character NUL is not possible here")
    return text


def _path(path: Path) -> Path:
    _no_nul(str(path))
    return path


def _host(host: str) -> str:
    if any(len(label) > 63 for label in host.split(".")):
        raise ValueError("no part of a name is longer than 63 characters")
    return host


def _game(name: str) -> str:
    known = [info.name for info in engine.games()]
    if name not in known:
        raise engine.UnknownGame("game", name, known)
    return name


def _address(url: str) -> str:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ValueError(f"no address: {str(error).lower()}") from None
    if parts.scheme not in SCHEMES or not parts.hostname or any(map(str.isspace, url)):
        raise ValueError("an address such as https://arena.example is needed")
    if port == 0:
        raise ValueError("no address: port 0")
    _one_line(url)
    _host(parts.hostname)
    return url


OneLine = Annotated[str, AfterValidator(_one_line)]
NoNul = Annotated[str, AfterValidator(_no_nul)]
FilePath = Annotated[Path, AfterValidator(_path)]
Host = Annotated[
    str,
    Field(min_length=1, max_length=253, pattern=HOST),
    AfterValidator(_host),
]
"""A name or an IP address to listen on."""
Address = Annotated[str, Field(max_length=2000), AfterValidator(_address)]
"""Of a server, with its scheme."""
GameName = Annotated[str, AfterValidator(_game)]
