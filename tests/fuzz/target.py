"""A parser of data from outside: how it is called with bytes, and how it may refuse them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import orjson

MOST_BYTES: Final = 1 << 17
CORPORA: Final = Path(__file__).parent / "corpora"
JSON_WORDS: Final = ("null", "true", "1e999", "-1", "NaN", '""', "[]", "{}", "9" * 30, '"\\ud800"')


@dataclass(frozen=True)
class Target:
    """A parser. `refuses` are the documented errors, `words` the dictionary of its format."""

    name: str
    run: Callable[[bytes], object]
    refuses: tuple[type[Exception], ...]
    words: Sequence[str] = ()

    def attempt(self, data: bytes) -> None:
        """Run the target once. Raises what is a bug."""
        try:
            self.run(data[:MOST_BYTES])
        except self.refuses:
            return

    def seeds(self) -> list[bytes]:
        """The stored examples, in the order of their names."""
        return [file.read_bytes() for file in sorted((CORPORA / self.name).iterdir())]


@cache
def _folder() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="bluestone-fuzz-")


def file_with(name: str, data: bytes) -> Path:
    """A file of that name with this content; it replaces the one before."""
    path = Path(_folder().name, name)
    path.write_bytes(data)
    return path


def text_of(data: bytes) -> str:
    """The bytes as text, in which anything that is not UTF-8 is replaced."""
    return data.decode(errors="replace")


def event_of(data: bytes, known: Sequence[str]) -> tuple[str, object]:
    """The event by the first byte, and the JSON value in the others."""
    return known[data[0] % len(known) if data else 0], orjson.loads(data[1:])
