"""Kernels from a shared library that was compiled ahead of time, for processes without Numba.

A folder has a library for each kind of processor, and `layout.json`, which says what each entry
takes. They belong to the sources with the key in that file; a library of other sources is not used.
A wheel has the folder beside this module, a checkout has not: `tools/ahead` makes it.

An entry takes one pointer, to a block of words of eight bytes. The words are its arguments, one
after the other: of an array its address and then its shape, of a record its address, of a tuple
those of its elements, of a number the number. The entry writes its result into the word after them.
"""

import ctypes
import json
import os
import struct
from array import array
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

from engine.kernel.processor import levels_here
from engine.kernel.sources import sources_key

ENVIRONMENT: Final = "BLUESTONE_KERNELS"
"""The environment variable with the folder of the libraries, or `compile` to use none."""
COMPILE: Final = "compile"
SHIPPED: Final = Path(__file__).parent / "libraries"
LAYOUT: Final = "layout.json"
ANY_GAME: Final = "any"
"""The name in the layout of an entry that takes no records of a game."""

Entries: TypeAlias = Mapping[str, Mapping[str, str]]
"""What each entry takes, as `described` says it, by the names of the entry and of the game."""


@cache
def folder() -> Path:
    """Return the folder of the libraries, which need not exist."""
    return Path(os.environ.get(ENVIRONMENT) or SHIPPED)


@cache
def library_file() -> Path | None:
    """Return the library that fits these sources and this processor; None if there is none."""
    if not (folder() / LAYOUT).is_file() or layout()["sources"] != sources_key():
        return None
    files = (folder() / f"{level}.so" for level in levels_here())
    return next((file for file in files if file.is_file()), None)


@cache
def layout() -> Mapping[str, Any]:
    """Return the content of `layout.json`: the key of the sources, and the entries."""
    found: Mapping[str, Any] = json.loads((folder() / LAYOUT).read_text(encoding="utf-8"))
    return found


@cache
def _library() -> ctypes.CDLL:
    file = library_file()
    assert file is not None
    return ctypes.CDLL(str(file.absolute()))


_games: Final[dict[np.dtype[Any], str]] = {}
"""The game of each type of state records."""


def know_records(state_dtype: np.dtype[Any], game: str) -> None:
    """Let entries take the state records of a game."""
    _games[state_dtype] = game


def entry_name(function: Callable[..., Any]) -> str:
    """Return the name of a kernel in the layout and in the libraries."""
    return function.__name__


def described(value: object) -> str:
    """Return in short what an argument is, as the layout says it of an entry's arguments.

    Arguments that need other code have other descriptions: a record has the size of its type, an
    array the type of its elements and the number of its dimensions.
    """
    if isinstance(value, np.ndarray):
        return f"{value.dtype.char}{value.ndim}" if value.flags.c_contiguous else "strided"
    if isinstance(value, np.void):
        return f"record{value.dtype.itemsize}"
    if isinstance(value, tuple):
        return f"({' '.join(map(described, value))})"
    if isinstance(value, float):
        return "float"
    return "int"


class LibraryEntry:
    """A kernel of the library, which is called like the function from which it was compiled."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.name = entry_name(function)
        self.__doc__ = function.__doc__
        self._called: dict[np.dtype[Any] | None, Callable[[int], int]] = {}

    def __call__(self, *arguments: Any) -> int:  # noqa: ANN401
        """Call the kernel.

        Raises:
            TypeError: The library has no code for such arguments.
        """
        kind = next((each.dtype for each in arguments[1:] if isinstance(each, np.void)), None)
        call = self._called.get(kind) or self._find(kind, arguments)
        words: list[int] = []
        for each in arguments:
            write_words(each, words)
        words.append(0)
        block = array("q", words)
        call(block.buffer_info()[0])
        return block[-1]

    def _find(
        self, kind: np.dtype[Any] | None, arguments: tuple[object, ...]
    ) -> Callable[[int], int]:
        """Return the machine code for the records of one game."""
        entries: Entries = layout()["entries"]
        game = ANY_GAME if kind is None else _games.get(kind, "another game")
        wanted = entries.get(self.name, {}).get(game)
        if wanted != described(arguments):
            raise TypeError(f"no code of {self.name} for {game} with {described(arguments)}")
        call = _library()[f"{game}_{self.name}"]
        call.argtypes = [ctypes.c_void_p]
        call.restype = None
        self._called[kind] = call
        return call


def write_words(value: Any, words: list[int]) -> None:  # noqa: ANN401
    """Append an argument to the words of a block."""
    if isinstance(value, np.ndarray):
        words.append(value.__array_interface__["data"][0])
        words.extend(value.shape)
    elif isinstance(value, np.void):
        words.append(value.__array_interface__["data"][0])
    elif isinstance(value, tuple):
        for each in value:
            write_words(each, words)
    elif isinstance(value, float):
        words.extend(struct.unpack("q", struct.pack("d", value)))
    else:
        words.append(int(value))
